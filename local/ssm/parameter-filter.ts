import type { ParameterStringFilter } from '@aws-sdk/client-ssm';
import { AwsError } from '../kernel/aws-error';
import type { Parameter } from './parameter';
import { DEFAULT_KEY } from './ssm-state';

/** What a filter compares, by its key; `tag:` is a key of its own. */
const COMPARED: Readonly<Record<string, (parameter: Parameter) => readonly string[]>> = {
  Name: ({ name }) => [name],
  Type: ({ latest }) => [latest.type],
  Tier: ({ latest }) => [latest.tier],
  KeyId: ({ latest }) => (latest.type === 'SecureString' ? [latest.keyId ?? DEFAULT_KEY] : []),
  Label: ({ versions }) => versions.flatMap(({ labels }) => [...labels]),
  DataType: () => ['text'],
};

type Comparison = (value: string, wanted: string) => boolean;

/** How a filter compares, by its option. */
const OPTIONS: Readonly<Record<string, Comparison>> = {
  Equals: (value, wanted) => value === wanted,
  BeginsWith: (value, wanted) => value.startsWith(wanted),
  Contains: (value, wanted) => value.includes(wanted),
};

/** How a path is compared with a name. */
const PATH_OPTIONS: Readonly<Record<string, Comparison>> = {
  OneLevel: (name, path) => name.slice(0, name.lastIndexOf('/')) === path.replace(/\/$/, ''),
  Recursive: (name, path) => name.startsWith(`${path.replace(/\/$/, '')}/`),
};

/**
 * The parameters every filter lets pass.
 *
 * @throws AwsError `InvalidFilterKey`, `InvalidFilterOption`
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_ParameterStringFilter.html
 */
export function filtered(
  parameters: readonly Parameter[],
  filters: readonly ParameterStringFilter[],
): readonly Parameter[] {
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
