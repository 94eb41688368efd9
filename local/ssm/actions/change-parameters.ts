import type { PutParameterRequest } from '@aws-sdk/client-ssm';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { type Caller, callerName } from '../../kernel/caller';
import { Constraints, validationException } from '../../kernel/constraints';
import { matchesJavaPattern } from '../../kernel/java-pattern';
import { MissingResource } from '../../kernel/service-api';
import { checkTags } from '../../kernel/tags';
import {
  alreadyExists,
  checkName,
  PARAMETER_TAGS,
  type Parameter,
  type ParameterTier,
  type ParameterType,
  type ParameterVersion,
} from '../parameter';
import { DEFAULT_KEY, type SsmState } from '../ssm-state';
import { parameterNamed, type SsmFamily } from './ssm-action';

/** @see https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html */
const MOST_BYTES: Readonly<Record<ParameterTier, number>> = { Standard: 4096, Advanced: 8192 };
const MOST_VERSIONS = 100;
const TYPES: ReadonlySet<string> = new Set(['String', 'StringList', 'SecureString']);

const MOST_LABELS = 10;

/** Alphanumeric characters and `.-_`; it must not begin with a digit, `aws` or `ssm`. */
const LABEL = /^(?!aws|ssm|\d)[\w.-]{1,100}$/i;

const isType = (text: string): text is ParameterType => TYPES.has(text);

export const changeParameterActions = {
  PutParameter: {
    resourceOf: (state, { Name = '' }) => ({ arn: state.arnOf(state.named(Name).name) }),
    run: (state, { caller, input }) => {
      const { Name = '', Overwrite = false, Tags = [] } = input;
      const { name } = state.named(Name);
      checkName(name);
      checkImplemented(input);
      const existing = state.find(name);
      if (existing && !Overwrite) throw alreadyExists();
      if (Overwrite && Tags.length > 0) {
        throw validationException(
          "Invalid request: tags and overwrite can't be used together. To create a parameter with tags, please remove " +
            'overwrite flag. To update tags for an existing parameter, please use AddTagsToResource or RemoveTagsFromResource.',
        );
      }
      checkTags(Tags, PARAMETER_TAGS);
      const version = versionOf(state, existing, input, caller);
      if (existing) makeRoom(existing);
      const parameter = existing ?? state.create(name);
      parameter.add(version);
      parameter.tags.put(Tags);
      const { version: number, tier } = version;
      state.context.trace.record({ type: 'ssm.parameter-put', parameterArn: parameter.arn, version: number });
      return { Version: number, Tier: tier };
    },
  },

  /**
   * Moves labels to a version, because only one version can have a label. Invalid labels are returned; the valid ones are
   * set.
   */
  LabelParameterVersion: {
    resourceOf: (state, { Name }) => parameterNamed(state, Name),
    run: (state, { input: { ParameterVersion: number, Labels = [] } }, parameter: Parameter) => {
      const version = parameter.select(number === undefined ? '' : String(number));
      const labels = Labels.filter(label => LABEL.test(label));
      if (new Set([...version.labels, ...labels]).size > MOST_LABELS) {
        throw new AwsError(
          'ParameterVersionLabelLimitExceeded',
          `A parameter version can have a maximum of ${MOST_LABELS} labels.`,
        );
      }
      for (const label of labels) {
        for (const other of parameter.versions) other.labels.delete(label);
        version.labels.add(label);
      }
      const { arn: parameterArn } = parameter;
      state.context.trace.record({ type: 'ssm.version-labelled', parameterArn, version: version.version, labels });
      return { InvalidLabels: Labels.filter(label => !LABEL.test(label)), ParameterVersion: version.version };
    },
  },

  DeleteParameter: {
    resourceOf: (state, { Name }) => parameterNamed(state, Name),
    run: (state, _call, parameter: Parameter) => {
      state.delete(parameter);
      return {};
    },
  },

  DeleteParameters: {
    permission: null,
    run: (state, { caller, input: { Names = [] } }) => {
      const asked = [...new Set(Names)].map(text => ({ text, name: state.named(text).name }));
      for (const { name } of asked)
        state.checks.checkAccess(caller, 'ssm:DeleteParameters', { arn: state.arnOf(name) });
      const DeletedParameters: string[] = [];
      const InvalidParameters: string[] = [];
      for (const { text, name } of asked) {
        const parameter = state.find(name);
        if (parameter) state.delete(parameter);
        (parameter ? DeletedParameters : InvalidParameters).push(text);
      }
      return { DeletedParameters, InvalidParameters };
    },
  },
} satisfies SsmFamily;

function checkImplemented({ Policies, DataType = 'text', Tier = 'Standard' }: PutParameterRequest): void {
  if (Policies !== undefined && Policies !== '[]' && Policies !== '') throw notImplemented('parameter policies');
  if (DataType !== 'text') throw notImplemented(`parameters of data type ${DataType}`);
  if (!['Standard', 'Advanced', 'Intelligent-Tiering'].includes(Tier)) {
    throw validationException(`Tier must be Standard, Advanced or Intelligent-Tiering, got ${Tier}`);
  }
}

function versionOf(
  state: SsmState,
  existing: Parameter | undefined,
  input: PutParameterRequest,
  caller: Caller,
): ParameterVersion {
  const before = existing?.latest;
  const { Value: value = '', Description: description, AllowedPattern: allowedPattern } = input;
  const type = typeOf(input.Type, before?.type);
  const tier = tierOf(input, before?.tier);
  checkValue(value, tier);
  checkPattern(value, allowedPattern);
  const { context, nowMs: modifiedAtMs } = state;
  if (type !== 'SecureString' && input.KeyId !== undefined) {
    throw validationException('KeyId is required for SecureString type parameter only.');
  }
  const keyId = type === 'SecureString' ? (input.KeyId ?? before?.keyId ?? DEFAULT_KEY) : undefined;
  if (keyId !== undefined) {
    const arn = state.arnOf(state.named(input.Name ?? '').name);
    state.checkKey(arn, keyId, tier === 'Standard' ? 'kms:Encrypt' : 'kms:GenerateDataKey', caller);
  }
  return {
    version: (before?.version ?? 0) + 1,
    type,
    value,
    cipherText: keyId === undefined ? undefined : cipherText(state),
    keyId,
    description: description ?? before?.description,
    allowedPattern,
    tier,
    modifiedAtMs,
    modifiedBy: callerName(caller, context.place.partition),
    labels: new Set(),
  };
}

function typeOf(given: string | undefined, before: ParameterType | undefined): ParameterType {
  const type = given ?? before;
  if (type === undefined) throw validationException('A parameter type is required when you create a parameter.');
  if (!isType(type)) {
    throw new Constraints().oneOf('type', type, ['SecureString', 'StringList', 'String']).error();
  }
  if (before !== undefined && type !== before) {
    throw new AwsError(
      'HierarchyTypeMismatchException',
      `Parameter Store doesn't support changing a parameter type in a hierarchy: it is ${before}, got ${type}`,
    );
  }
  return type;
}

/** An advanced parameter stays advanced. With intelligent tiering, the length of the value decides. */
function tierOf({ Tier, Value = '' }: PutParameterRequest, before: ParameterTier | undefined): ParameterTier {
  const isLong = Tier === 'Intelligent-Tiering' && Buffer.byteLength(Value) > MOST_BYTES.Standard;
  return before === 'Advanced' || Tier === 'Advanced' || isLong ? 'Advanced' : 'Standard';
}

function checkValue(value: string, tier: ParameterTier): void {
  new Constraints().length('value', value, 1, Number.POSITIVE_INFINITY).check();
  if (/\{\{.*?\}\}/.test(value))
    throw validationException('Parameter value can\'t nest another parameter. Do not use "{{}}" in the value.');
  if (Buffer.byteLength(value) <= MOST_BYTES[tier]) return;
  const upgrade =
    ' To create a larger parameter value, upgrade the parameter to use the advanced-parameter tier. For more information, ' +
    'see https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html';
  throw validationException(
    `${tier} tier parameters support a maximum parameter value of ${MOST_BYTES[tier]} characters.${tier === 'Standard' ? upgrade : ''}`,
  );
}

/** Compiles it only. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    // The error text of the regular expression engine differs between versions of Node.js.
    return false;
  }
}

function checkPattern(value: string, pattern: string | undefined): void {
  if (pattern === undefined || pattern === '') return;
  const isMatch = matchesJavaPattern(pattern, value);
  if (isMatch) return;
  if (isMatch === undefined) {
    if (isPattern(pattern)) throw notImplemented(`the AllowedPattern ${pattern}: lookaround and references to groups`);
    throw new AwsError('InvalidAllowedPatternException', `The allowed pattern ${pattern} is not valid.`);
  }
  throw new AwsError(
    'ParameterPatternMismatchException',
    `Parameter value, cannot be validated against allowedPattern: ${pattern}`,
  );
}

/** Removes the oldest of a hundred versions, unless it has a label. */
function makeRoom(parameter: Parameter): void {
  const [oldest] = parameter.versions;
  if (parameter.versions.length < MOST_VERSIONS || !oldest) return;
  if (oldest.labels.size > 0) {
    throw new AwsError(
      'ParameterMaxVersionLimitExceeded',
      `You attempted to create a new version of ${parameter.name} by calling the PutParameter API with the overwrite flag. ` +
        `Version ${oldest.version}, the oldest version, can't be deleted because it has a label associated with it. Move ` +
        'the label to another version of the parameter, and try again.',
    );
  }
  parameter.dropOldest();
}

/** Placeholder for the encrypted value, from which the value cannot be read. */
function cipherText({ context: { random } }: SsmState): string {
  return `AQICAH${Buffer.from(random.hex(192), 'hex').toString('base64')}`;
}

/** Finds the parameter to tag. Other resource types (documents, instances) are refused. */
function tagged(
  state: SsmState,
  {
    ResourceType: type = '',
    ResourceId: id = '',
  }: { ResourceType?: string | undefined; ResourceId?: string | undefined },
): Parameter | MissingResource {
  if (type !== 'Parameter') {
    return new MissingResource(
      '*',
      new AwsError('InvalidResourceType', `${type} is not a valid resource type here: only Parameter is.`),
    );
  }
  const { name } = state.named(id);
  const invalid = new AwsError(
    'InvalidResourceId',
    'The resource ID is not valid. Verify that you entered the correct ID and try again.',
  );
  return state.find(name) ?? new MissingResource(state.arnOf(name), invalid);
}

export const tagActions = {
  AddTagsToResource: {
    resourceOf: tagged,
    run: (_state, { input: { Tags = [] } }, { tags }) => {
      tags.put(Tags);
      return {};
    },
  },

  RemoveTagsFromResource: {
    resourceOf: tagged,
    run: (_state, { input: { TagKeys = [] } }, { tags }) => {
      tags.remove(TagKeys);
      return {};
    },
  },

  ListTagsForResource: {
    resourceOf: tagged,
    run: (_state, _call, { tags }) => ({ TagList: tags.list() }),
  },
} satisfies SsmFamily<Parameter>;
