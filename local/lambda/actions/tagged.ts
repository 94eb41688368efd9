import { parseArn } from '../../kernel/arn';
import type { Resource } from '../../kernel/doorkeeper';
import { Missing } from '../../kernel/front-door';
import type { Desk } from '../desk';
import { functionNotFound, invalidParameter, resourceNotFound } from '../errors';
import { parseFunctionName } from '../function/function-name';
import type { LambdaAction } from './lambda-action';

/** Tags a resource may have. */
const MOST_TAGS = 50;

const FUNCTIONS_ONLY =
  'Tagging operations are permitted on Lambda functions only. Tags on aliases and versions are not supported. ' +
  'Please specify either a function name or a function ARN.';

/** Something that has tags: a function, or an event source mapping. */
export interface Tagged extends Resource {
  readonly tags: Map<string, string>;
}

/** An action on the tags of a function or an event source mapping. */
export function onTags<Input extends { readonly Resource?: string | undefined }, Output>(
  permission: string,
  run: (tagged: Tagged, input: Input) => Output,
): LambdaAction<Input, Output, Tagged> {
  return {
    permission: `lambda:${permission}`,
    resourceOf: (desk, { Resource: arn = '' }) => taggedAt(desk, arn),
    run: (_desk, { input }, tagged) => {
      if (parseFunctionName(input.Resource ?? '').qualifier && !isMapping(input.Resource ?? '')) {
        throw invalidParameter(FUNCTIONS_ONLY);
      }
      return run(tagged, input);
    },
  };
}

/** @throws AwsError `InvalidParameterValueException` when there are more than fifty */
export function addTags({ tags }: Tagged, added: Readonly<Record<string, string>>): void {
  const all = new Map([...tags, ...Object.entries(added)]);
  if (all.size > MOST_TAGS) throw invalidParameter('Number of tags exceeds function tag limit.');
  for (const [key, value] of all) tags.set(key, value);
}

function taggedAt({ functions, mappings }: Desk, arn: string): Tagged | Missing {
  if (isMapping(arn)) return mappings.find(arn.slice(arn.lastIndexOf(':') + 1)) ?? new Missing(arn, resourceNotFound());
  return functions.find(arn) ?? new Missing(arn, functionNotFound(arn));
}

function isMapping(arn: string): boolean {
  return parseArn(arn)?.resource.startsWith('event-source-mapping:') ?? false;
}
