import type { Lambda } from '@aws-sdk/client-lambda';
import { Constraints } from '../../kernel/constraints';
import { type Page, pageOf } from '../../kernel/page';
import { type ActionFamily, MissingResource, type ServiceAction } from '../../kernel/service-api';
import { invalidParameter, preconditionFailed, resourceNotFound } from '../errors';
import type { EventSourceMapping } from '../event-source/event-source-mapping';
import type { FunctionTarget } from '../function/deployed-function';
import type { LambdaState } from '../lambda-state';

export type LambdaFamily = ActionFamily<LambdaState, Lambda>;

/** Input that names a function, with an optional version or alias. */
interface NamesFunction {
  readonly FunctionName?: string | undefined;
  readonly Qualifier?: string | undefined;
}

type WithFunction<Input, Output> = (target: FunctionTarget, input: Input, state: LambdaState) => Output;

export function onFunction<Input extends NamesFunction, Output>(run: WithFunction<Input, Output>) {
  return {
    resourceOf: ({ functions }, { FunctionName = '', Qualifier }) => functions.target(FunctionName, Qualifier),
    run: (state, { input }, target) => run(target, input, state),
  } satisfies ServiceAction<LambdaState, Input, Output, FunctionTarget>;
}

const FUNCTIONS_ONLY =
  'This operation is permitted on Lambda functions only. Aliases and versions do not support this operation. ' +
  'Please specify either a function name or an unqualified function ARN.';

/** An action on a function, but not on its versions and aliases. */
export function onWholeFunction<Input extends NamesFunction, Output>(run: WithFunction<Input, Output>) {
  return onFunction((target, input: Input, state) => {
    if (target.qualifier !== undefined) throw invalidParameter(FUNCTIONS_ONLY);
    return run(target, input, state);
  });
}

/**
 * An action on the event invoke configuration of a function, version or alias. AWS has a specific error text if it does
 * not exist.
 */
export function onEventInvokes<Input extends NamesFunction, Output>(run: WithFunction<Input, Output>) {
  const action = onFunction(run);
  return {
    ...action,
    resourceOf: (state: LambdaState, input: Input) => {
      const found = action.resourceOf(state, input);
      return found instanceof MissingResource
        ? new MissingResource(found.arn, resourceNotFound("The function doesn't exist."))
        : found;
    },
  };
}

/** Input that names a mapping, and may name the function it will invoke. */
interface NamesMapping {
  readonly UUID?: string | undefined;
  readonly FunctionName?: string | undefined;
}

/**
 * The condition keys of an action on a mapping: the function that it invokes, or will invoke.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html#awslambda-policy-keys
 */
export function functionCondition(target: FunctionTarget | MissingResource): Readonly<Record<string, string>> {
  return { 'lambda:FunctionArn': target instanceof MissingResource ? target.arn : target.invokedArn };
}

export function onMapping<Input extends NamesMapping, Output>(
  run: (mapping: EventSourceMapping, input: Input, state: LambdaState) => Output,
): ServiceAction<LambdaState, Input, Output, EventSourceMapping> {
  return {
    resourceOf: ({ mappings }, { UUID = '' }) => mappings.find(UUID) ?? new MissingResource('*', resourceNotFound()),
    contextOf: ({ FunctionName }, { target }, { functions }) =>
      functionCondition(FunctionName === undefined ? target : functions.target(FunctionName)),
    run: (state, { input }, mapping) => run(mapping, input, state),
  };
}

interface AsksForPage {
  readonly Marker?: string | undefined;
  readonly MaxItems?: number | undefined;
}

/** The maximum that a caller may ask for. Pages contain fewer items. */
const MOST_ASKED = 10_000;

/** @param most the maximum and the default number of items on a page */
export function pageAsked<Item>(all: readonly Item[], { Marker, MaxItems }: AsksForPage, most: number): Page<Item> {
  new Constraints().range('maxItems', MaxItems, 1, MOST_ASKED).check();
  const size = Math.min(MaxItems ?? most, most);
  return pageOf(all, size, Marker, marker => invalidParameter(`The marker is invalid: ${marker}`));
}

export function checkRevision({ deployed, qualifier }: FunctionTarget, given: string | undefined): void {
  if (given !== undefined && given !== deployed.revisionId(qualifier)) throw preconditionFailed();
}
