import { parseArn } from '../../policy/arn';
import { AwsError } from '../kernel/aws-error';
import { validationException } from '../kernel/constraints';
import { ResourceTags, refuseByModel, TAG_RULES, type TagRules } from '../kernel/tags';

export type ParameterType = 'String' | 'StringList' | 'SecureString';
export type ParameterTier = 'Standard' | 'Advanced';

export interface ParameterVersion {
  /** The number of the version, from 1. */
  readonly version: number;
  readonly type: ParameterType;
  readonly value: string;
  /** The encrypted value of a SecureString, which is shown unless the caller asks to decrypt it. */
  readonly cipherText: string | undefined;
  /** The key of a SecureString. */
  readonly keyId: string | undefined;
  readonly description: string | undefined;
  readonly allowedPattern: string | undefined;
  readonly tier: ParameterTier;
  readonly modifiedAtMs: number;
  /** The ARN of the caller that put it. */
  readonly modifiedBy: string;
  readonly labels: Set<string>;
}

export class Parameter {
  readonly tags = new ResourceTags(PARAMETER_TAGS);
  /** Versions, oldest first. */
  private readonly kept: ParameterVersion[] = [];

  constructor(
    readonly name: string,
    readonly arn: string,
  ) {}

  get versions(): readonly ParameterVersion[] {
    return this.kept;
  }

  get latest(): ParameterVersion {
    const latest = this.kept.at(-1);
    if (!latest) throw parameterNotFound(this.name);
    return latest;
  }

  add(version: ParameterVersion): void {
    this.kept.push(version);
  }

  dropOldest(): void {
    this.kept.shift();
  }

  /** @param selector a version's number, or a label; empty for the newest */
  select(selector: string): ParameterVersion {
    if (selector === '') return this.latest;
    const found = this.kept.find(({ version, labels }) => String(version) === selector || labels.has(selector));
    if (!found) throw versionNotFound(this.name, selector);
    return found;
  }
}

const refuse = refuseByModel(validationException);

/**
 * The rules for tags of parameters. @see
 * https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_AddTagsToResource.html
 */
export const PARAMETER_TAGS: TagRules = {
  restrictsCharacters: true,
  needsValues: true,
  refuse: breaches =>
    breaches[0]?.rule === 'most' ? new AwsError('TooManyTagsError', TAG_RULES.most(undefined)) : refuse(breaches),
};

/** The error for a missing parameter. AWS's text is empty; this one is ours. */
export function parameterNotFound(name: string): AwsError {
  return new AwsError('ParameterNotFound', `Parameter ${name} not found.`);
}

function versionNotFound(name: string, selector: string): AwsError {
  return new AwsError(
    'ParameterVersionNotFound',
    `Systems Manager could not find version ${selector} of ${name}. Verify the version and try again.`,
  );
}

export function alreadyExists(): AwsError {
  return new AwsError(
    'ParameterAlreadyExists',
    'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
  );
}

const LONGEST_NAME = 2048;
const MOST_LEVELS = 15;
const RESOURCE = 'parameter/';

/** The resource part of a parameter's ARN. The slash of a path is not repeated there. */
export function resourceOfName(name: string): string {
  return `parameter${name.startsWith('/') ? name : `/${name}`}`;
}

/** A parameter as a caller names it: a name or ARN, with an optional version or label. */
export interface NamedParameter {
  readonly name: string;
  /** A version's number, or a label; empty for the newest. */
  readonly selector: string;
}

/** @param isPath whether a parameter exists under the name with a leading slash, because an ARN does not tell */
export function parseParameterName(text: string, isPath: (name: string) => boolean): NamedParameter {
  const arn = parseArn(text);
  const { resource } = arn ?? { resource: text };
  const [whole = '', selector = ''] = resource.split(':');
  if (!arn) return { name: whole, selector };
  const name = whole.startsWith(RESOURCE) ? whole.slice(RESOURCE.length) : whole;
  return { name: isPath(`/${name}`) ? `/${name}` : name, selector };
}

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html */
export function checkName(name: string): void {
  if (/^\/?aws(?:\/|$)/i.test(name) || /^aws/i.test(name)) {
    throw new AwsError('AccessDeniedException', `No access to reserved parameter name: ${name}.`);
  }
  const levels = name.split('/').filter(level => level !== '');
  if (
    /^\/?ssm/i.test(name) ||
    levels.some(level => !/^[\w.-]+$/.test(level)) ||
    levels.length === 0 ||
    /\/\/|\/$/.test(name)
  ) {
    throw validationException(
      'Parameter name: can\'t be prefixed with "ssm" (case-insensitive). If formed as a path, it can consist of sub-paths ' +
        'divided by slash symbol; each sub-path can be formed as a mix of letters, numbers and the following 3 symbols .-_',
    );
  }
  if (name.includes('/') && !name.startsWith('/'))
    throw validationException('Parameter name must be a fully qualified name.');
  if (name.length > LONGEST_NAME) {
    throw validationException(`Parameter name must be ${LONGEST_NAME} characters or shorter, got ${name.length}`);
  }
  if (levels.length > MOST_LEVELS) {
    throw new AwsError(
      'HierarchyLevelLimitExceededException',
      `A parameter name can have at most ${MOST_LEVELS} levels, got ${levels.length}`,
    );
  }
}

const FULL_PATH = /^\/(?:[\w.-]+(?:\/[\w.-]+)*\/?)?$/;

export function checkPath(path: string): void {
  if (FULL_PATH.test(path)) return;
  throw validationException(
    'The parameter doesn\'t meet the parameter name requirements. The parameter name must begin with a forward slash "/". ' +
      'It can\'t be prefixed with \\"aws\\" or \\"ssm\\" (case-insensitive). It must use only letters, numbers, or the ' +
      'following symbols: . (period), - (hyphen), _ (underscore). Special characters are not allowed. All sub-paths, if ' +
      'specified, must use the forward slash symbol "/". Valid example: /get/parameters2-/by1./path0_.',
  );
}
