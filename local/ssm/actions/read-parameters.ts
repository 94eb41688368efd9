import type {
  ParameterMetadata,
  ParameterStringFilter,
  ParametersFilter,
  Parameter as ShownParameter,
} from '@aws-sdk/client-ssm';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { Constraints } from '../../kernel/constraints';
import { MissingResource } from '../../kernel/service-api';
import { checkPath, type Parameter, type ParameterVersion } from '../parameter';
import { InvalidReference, isReference } from '../secret-reference';
import { DEFAULT_KEY, type SsmState } from '../ssm-state';
import { parameterNamed, type SsmFamily, shown, ssmPage } from './ssm-action';

const MOST_NAMES = 10;

const MOST_RESULTS_BY_PATH = 10;

const MOST_RESULTS_OF_HISTORY = 50;

const MOST_RESULTS_DESCRIBED = 50;

/** The values that a filter compares, by its key; `tag:` is a separate key. */
const COMPARED: Readonly<Record<string, (parameter: Parameter) => readonly string[]>> = {
  Name: ({ name }) => [name],
  Type: ({ latest }) => [latest.type],
  Tier: ({ latest }) => [latest.tier],
  KeyId: ({ latest }) => (latest.type === 'SecureString' ? [latest.keyId ?? DEFAULT_KEY] : []),
  Label: ({ versions }) => versions.flatMap(({ labels }) => [...labels]),
  DataType: () => ['text'],
};

type Comparison = (value: string, wanted: string) => boolean;

const OPTIONS: Readonly<Record<string, Comparison>> = {
  Equals: (value, wanted) => value === wanted,
  BeginsWith: (value, wanted) => value.startsWith(wanted),
  Contains: (value, wanted) => value.includes(wanted),
};

const PATH_OPTIONS: Readonly<Record<string, Comparison>> = {
  OneLevel: (name, path) => name.slice(0, name.lastIndexOf('/')) === path.replace(/\/$/, ''),
  Recursive: (name, path) => name.startsWith(`${path.replace(/\/$/, '')}/`),
};

export const readParameterActions = {
  /**
   * As on AWS, the permission is checked before the parameter is looked up. So a caller without permission does not learn
   * whether it exists.
   */
  GetParameter: {
    resourceOf: (state, { Name }) => ({ arn: parameterNamed(state, Name).arn }),
    run: (state, { caller, input: { Name = '', WithDecryption: decrypt } }) => {
      if (isReference(Name)) return { Parameter: state.secret(Name, decrypt, caller) };
      const parameter = parameterNamed(state, Name);
      if (parameter instanceof MissingResource) throw parameter.error;
      const { selector } = state.named(Name);
      return { Parameter: shown(state, parameter, parameter.select(selector), caller, { selector, decrypt }) };
    },
  },

  /** Returns the invalid names in addition to the parameters. */
  GetParameters: {
    permission: null,
    run: (state, { caller, input: { Names = [], WithDecryption: decrypt } }) => {
      new Constraints().length('names', Names, 1, MOST_NAMES).check();
      const asked = [...new Set(Names)].map(text => ({ text, ...state.named(text) }));
      for (const { name } of asked) state.checks.checkAccess(caller, 'ssm:GetParameters', { arn: state.arnOf(name) });
      const InvalidParameters: string[] = [];
      const Parameters = asked.flatMap(({ text, name, selector }) => {
        if (isReference(text)) return secretOrNone(state, text, decrypt, caller, InvalidParameters);
        const parameter = state.find(name);
        const version = parameter?.versions.find(
          ({ version: number, labels }) => selector === '' || String(number) === selector || labels.has(selector),
        );
        if (parameter && version) {
          return [shown(state, parameter, selector === '' ? parameter.latest : version, caller, { selector, decrypt })];
        }
        InvalidParameters.push(text);
        return [];
      });
      return { Parameters, InvalidParameters };
    },
  },

  GetParametersByPath: {
    resourceOf: (state, { Path = '' }) => ({ arn: state.arnOf(Path.replace(/(.)\/$/, '$1')) }),
    run: (state, { caller, input }) => {
      const { Path = '', Recursive = false, WithDecryption: decrypt, ParameterFilters = [] } = input;
      checkPath(Path);
      if (/^\/aws\/service(?:\/|$)/.test(Path)) throw notImplemented(`the public parameters of AWS (${Path})`);
      const folder = Path.endsWith('/') ? Path : `${Path}/`;
      const below = state.all().filter(({ name }) => {
        const rest = name.startsWith(folder) ? name.slice(folder.length) : '';
        return rest !== '' && (Recursive || !rest.includes('/'));
      });
      const { items, nextToken } = ssmPage(filtered(below, ParameterFilters), input, MOST_RESULTS_BY_PATH);
      return {
        Parameters: items.map(parameter => shown(state, parameter, parameter.latest, caller, { decrypt })),
        ...(nextToken !== undefined && { NextToken: nextToken }),
      };
    },
  },

  GetParameterHistory: {
    resourceOf: (state, { Name }) => parameterNamed(state, Name),
    run: (state, { caller, input }, parameter: Parameter) => {
      const { items, nextToken } = ssmPage(parameter.versions, input, MOST_RESULTS_OF_HISTORY);
      const decrypt = input.WithDecryption;
      return {
        Parameters: items.map(version => {
          const { ARN: _, ...about } = described(parameter, version);
          const { Value } = shown(state, parameter, version, caller, { decrypt });
          return { ...about, Value, Labels: [...version.labels].sort() };
        }),
        ...(nextToken !== undefined && { NextToken: nextToken }),
      };
    },
  },

  DescribeParameters: {
    run: (state, { input }) => {
      const filters = [...(input.ParameterFilters ?? []), ...(input.Filters ?? []).map(newer)];
      const { items, nextToken } = ssmPage(filtered(state.all(), filters), input, MOST_RESULTS_DESCRIBED);
      return {
        Parameters: items.map(parameter => described(parameter, parameter.latest)),
        ...(nextToken !== undefined && { NextToken: nextToken }),
      };
    },
  },
} satisfies SsmFamily;

/** A secret, or none with its name in the list of the invalid ones. A caller who may not read it gets nothing at all. */
function secretOrNone(
  state: SsmState,
  text: string,
  decrypt: boolean | undefined,
  caller: Caller,
  invalid: string[],
): ShownParameter[] {
  try {
    return [state.secret(text, decrypt, caller)];
  } catch (error) {
    if (!(error instanceof InvalidReference)) throw error;
    invalid.push(text);
    return [];
  }
}

/** Converts an old filter, which compares prefixes of names. */
function newer({ Key, Values }: ParametersFilter): ParameterStringFilter {
  return { Key, Values, Option: Key === 'Name' ? 'BeginsWith' : 'Equals' };
}

function described({ name, arn }: Parameter, version: ParameterVersion): ParameterMetadata {
  const { type, keyId, description, allowedPattern, tier, modifiedAtMs, modifiedBy } = version;
  return {
    Name: name,
    ARN: arn,
    Type: type,
    ...(keyId !== undefined && { KeyId: keyId }),
    LastModifiedDate: new Date(modifiedAtMs),
    LastModifiedUser: modifiedBy,
    ...(description !== undefined && { Description: description }),
    ...(allowedPattern !== undefined && { AllowedPattern: allowedPattern }),
    Version: version.version,
    Tier: tier,
    Policies: [],
    DataType: 'text',
  };
}

/**
 * Returns the parameters that pass every filter.
 *
 * @throws AwsError `InvalidFilterKey`, `InvalidFilterOption`
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_ParameterStringFilter.html
 */
function filtered(parameters: readonly Parameter[], filters: readonly ParameterStringFilter[]): readonly Parameter[] {
  const tests = filters.map(compile);
  return parameters.filter(parameter => tests.every(passes => passes(parameter)));
}

function compile({ Key = '', Option, Values = [] }: ParameterStringFilter): (parameter: Parameter) => boolean {
  const isPath = Key === 'Path';
  const compared = isPath ? COMPARED['Name'] : valuesOf(Key);
  if (!compared) throw new AwsError('InvalidFilterKey', `The filter key ${Key} is not one that can be used here.`);
  const options = isPath ? PATH_OPTIONS : OPTIONS;
  const option = Option ?? (isPath ? 'OneLevel' : 'Equals');
  const compare = Object.hasOwn(options, option) ? options[option] : undefined;
  if (!compare) {
    throw new AwsError('InvalidFilterOption', `The filter option ${option} is not valid for the filter key ${Key}.`);
  }
  return parameter => {
    const values = compared(parameter);
    if (Values.length === 0) return values.length > 0;
    return values.some(value => Values.some(wanted => compare(value, wanted)));
  };
}

function valuesOf(key: string): ((parameter: Parameter) => readonly string[]) | undefined {
  if (!key.startsWith('tag:')) return Object.hasOwn(COMPARED, key) ? COMPARED[key] : undefined;
  const tag = key.slice('tag:'.length);
  return ({ tags }) => {
    const value = tags.get(tag);
    return value === undefined ? [] : [value];
  };
}
