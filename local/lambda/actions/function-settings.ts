import { nameInArn, parseArn } from '../../../policy/arn';
import { Constraints } from '../../kernel/constraints';
import { MissingResource, type Resource, type ServiceAction } from '../../kernel/service-api';
import { type ResourceTags, tagList } from '../../kernel/tags';
import { functionNotFound, invalidParameter, refuse, resourceNotFound } from '../errors';
import { LATEST, parseFunctionName } from '../function/function-configuration';
import { statement } from '../function/permissions';
import type { LambdaState } from '../lambda-state';
import { checkRevision, type LambdaFamily, onFunction, onWholeFunction } from './lambda-action';

const STATEMENT_ID = '([a-zA-Z0-9-_]+)';
const ACTION = '(lambda:[*]|lambda:[a-zA-Z]+|[*])';

const REFUSED = ['EventSourceToken', 'FunctionUrlAuthType', 'InvokedViaFunctionUrl', 'PrincipalOrgID'] as const;

const FUNCTIONS_ONLY =
  'Tagging operations are permitted on Lambda functions only. Tags on aliases and versions are not supported. ' +
  'Please specify either a function name or a function ARN.';

/** A resource with tags: a function or an event source mapping. */
export interface Tagged extends Resource {
  readonly tags: ResourceTags;
}

export const functionSettingActions = {
  /** Takes effect with the next invocation. Running invocations continue. */
  PutFunctionConcurrency: onWholeFunction(
    ({ deployed }, { ReservedConcurrentExecutions: reserved = 0 }, { concurrency }) => {
      new Constraints().range('reservedConcurrentExecutions', reserved, 0).check();
      concurrency.checkReservable(deployed.name, reserved);
      deployed.reserve(reserved);
      return { ReservedConcurrentExecutions: reserved };
    },
  ),

  GetFunctionConcurrency: onFunction(({ deployed: { reservedConcurrency } }) =>
    reservedConcurrency === undefined ? {} : { ReservedConcurrentExecutions: reservedConcurrency },
  ),

  DeleteFunctionConcurrency: onWholeFunction(({ deployed }) => {
    deployed.reserve(undefined);
    return {};
  }),

  PutFunctionRecursionConfig: onWholeFunction(({ deployed }, { RecursiveLoop = 'Terminate' }) => {
    new Constraints().oneOf('recursiveLoop', RecursiveLoop, ['Allow', 'Terminate']).check();
    deployed.recursiveLoop = RecursiveLoop;
    return { RecursiveLoop };
  }),

  GetFunctionRecursionConfig: onWholeFunction(({ deployed }) => ({ RecursiveLoop: deployed.recursiveLoop })),

  AddPermission: onFunction((target, input) => {
    const { StatementId = '', Action = '', Principal = '', SourceArn, SourceAccount, RevisionId } = input;
    new Constraints().pattern('statementId', StatementId, STATEMENT_ID).pattern('action', Action, ACTION).check();
    for (const member of REFUSED) if (input[member] !== undefined) throw refuse('AddPermission', member);
    const { deployed, qualifier } = target;
    if (qualifier === LATEST) throw invalidParameter('We currently do not support adding policies for $LATEST.');
    checkRevision(target, RevisionId);
    const permission = {
      statementId: StatementId,
      action: Action,
      principal: Principal,
      sourceArn: SourceArn,
      sourceAccount: SourceAccount,
    };
    deployed.permissions.add(qualifier, permission);
    deployed.revise(qualifier);
    return { Statement: JSON.stringify(statement(target.arn, permission)) };
  }),

  RemovePermission: onFunction((target, { StatementId = '', RevisionId }) => {
    const { deployed, qualifier } = target;
    checkRevision(target, RevisionId);
    deployed.permissions.remove(qualifier, StatementId);
    deployed.revise(qualifier);
    return {};
  }),

  GetPolicy: onFunction(({ deployed, policy, qualifier }) => {
    if (!policy) throw resourceNotFound();
    return { Policy: JSON.stringify(policy), RevisionId: deployed.revisionId(qualifier) };
  }),

  TagResource: onTags(({ tags }, { Tags = {} }) => {
    tags.put(tagList(Tags));
    return {};
  }),

  UntagResource: onTags(({ tags }, { TagKeys = [] }) => {
    tags.remove(TagKeys);
    return {};
  }),

  ListTags: onTags(({ tags }) => ({
    Tags: tags.record(),
  })),
} satisfies LambdaFamily;

function onTags<Input extends { readonly Resource?: string | undefined }, Output>(
  run: (tagged: Tagged, input: Input) => Output,
): ServiceAction<LambdaState, Input, Output, Tagged> {
  return {
    resourceOf: (state, { Resource: arn = '' }) => taggedAt(state, arn),
    run: (_state, { input }, tagged) => {
      if (parseFunctionName(input.Resource ?? '').qualifier && !isMapping(input.Resource ?? '')) {
        throw invalidParameter(FUNCTIONS_ONLY);
      }
      return run(tagged, input);
    },
  };
}

function taggedAt({ functions, mappings }: LambdaState, arn: string): Tagged | MissingResource {
  if (isMapping(arn)) return mappings.find(nameInArn(arn)) ?? new MissingResource(arn, resourceNotFound());
  return functions.find(arn) ?? new MissingResource(arn, functionNotFound(arn));
}

function isMapping(arn: string): boolean {
  return parseArn(arn)?.resource.startsWith('event-source-mapping:') ?? false;
}
