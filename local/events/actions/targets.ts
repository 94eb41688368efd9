import type { Target as TargetInput } from '@aws-sdk/client-eventbridge';
import { parseArn } from '../../../policy/arn';
import { constrainRetryPolicy } from '../../event-delivery/delivery';
import { notImplemented } from '../../kernel/aws-error';
import { Constraints, validationException } from '../../kernel/constraints';
import { jsonProblem } from '../../kernel/json';
import type { Place } from '../../kernel/place';
import { constrainRuleName, eventsPage, limitExceeded, NAME } from '../constraints';
import type { EventsFamily } from '../events-state';
import { isTarget } from '../invocation';
import { JsonPath, RESERVED_VARIABLES, Target, type TargetDefinition, variablesIn } from '../target';

const MAX_TARGETS = 5;
const MAX_TARGETS_PER_CALL = 100;

function definitionsOf(targets: readonly TargetInput[]): readonly TargetDefinition[] {
  return targets.map(target => ({ ...target, Id: target.Id ?? '', Arn: target.Arn ?? '' }));
}

function checkIds(targets: readonly TargetDefinition[]): void {
  const twice = targets.find(({ Id }, i) => targets.findIndex(other => other.Id === Id) < i);
  if (!twice) return;
  const reason = `Reason: More than one target with Id '${twice.Id}' is provided.`;
  throw validationException(`Parameter targets is not valid. ${reason}`);
}

export const targetActions = {
  /** A caller that gives a target a role must be allowed to pass that role (`iam:PassRole`). */
  PutTargets: {
    resourceOf: (state, { Rule, EventBusName }) => state.ruleAt(Rule, EventBusName),
    run: ({ buses, context, checks }, { caller, input: { Rule = '', EventBusName, Targets = [] } }) => {
      const constraints = constrainRuleName(new Constraints(), 'rule', Rule);
      constraints.length('targets', Targets, 1, MAX_TARGETS_PER_CALL);
      Targets.forEach((target, i) => {
        constrainTarget(constraints, target, i);
      });
      constraints.check();
      const rule = buses.rule(Rule, EventBusName);
      const targets = definitionsOf(Targets);
      checkIds(targets);
      for (const target of targets) {
        checkTarget(target, context.place);
        if (target.RoleArn) checks.checkAccess(caller, 'iam:PassRole', { arn: target.RoleArn });
      }
      const targetIds = targets.map(({ Id }) => Id);
      if (new Set([...rule.targets.keys(), ...targetIds]).size > MAX_TARGETS) throw limitExceeded();
      for (const target of targets) rule.targets.set(target.Id, new Target(target));
      context.trace.record({ type: 'events.targets-put', ruleArn: rule.arn, targetIds });
      return { FailedEntryCount: 0, FailedEntries: [] };
    },
  },

  RemoveTargets: {
    resourceOf: (state, { Rule, EventBusName }) => state.ruleAt(Rule, EventBusName),
    run: ({ buses, context }, { input: { Rule = '', EventBusName, Ids = [] } }) => {
      new Constraints().length('ids', Ids, 1, 100).check();
      const rule = buses.rule(Rule, EventBusName);
      const targetIds = Ids.filter(id => rule.targets.delete(id));
      context.trace.record({ type: 'events.targets-removed', ruleArn: rule.arn, targetIds });
      const unknown = Ids.filter(id => !targetIds.includes(id));
      return {
        FailedEntryCount: unknown.length,
        FailedEntries: unknown.map(TargetId => ({
          TargetId,
          ErrorCode: 'ResourceNotFoundException',
          ErrorMessage: `Rule ${rule.name} does not have target(s) with ids ${TargetId}`,
        })),
      };
    },
  },

  ListTargetsByRule: {
    resourceOf: (state, { Rule, EventBusName }) => state.ruleAt(Rule, EventBusName),
    run: ({ buses }, { input: { Rule = '', EventBusName, Limit, NextToken } }) => {
      const targets = [...buses.rule(Rule, EventBusName).targets.values()];
      const { items, nextToken } = eventsPage(targets, Limit, NextToken);
      return { Targets: items.map(({ definition }) => definition), ...(nextToken && { NextToken: nextToken }) };
    },
  },
} satisfies EventsFamily;

const MAX_PATHS = 100;

const OTHER_PARAMETERS = [
  'KinesisParameters',
  'RunCommandParameters',
  'EcsParameters',
  'BatchParameters',
  'HttpParameters',
  'RedshiftDataParameters',
  'SageMakerPipelineParameters',
  'AppSyncParameters',
] as const satisfies readonly (keyof TargetInput)[];

/** The services that grant EventBridge access by resource policy. Every other target requires a role. */
const WITHOUT_ROLE: readonly (string | undefined)[] = ['lambda', 'sns', 'sqs', 'logs'];

/** Adds the constraints of the API model. */
function constrainTarget(constraints: Constraints, target: TargetInput, index: number): void {
  const at = `targets.${index + 1}.member`;
  const paths = Object.entries(target.InputTransformer?.InputPathsMap ?? {});
  constraints
    .notNull(`${at}.id`, target.Id)
    .length(`${at}.id`, target.Id, 1, 64)
    .pattern(`${at}.id`, target.Id, NAME)
    .notNull(`${at}.arn`, target.Arn)
    .length(`${at}.arn`, target.Arn, 1, 1600)
    .length(`${at}.input`, target.Input, 0, 8192)
    .length(`${at}.inputPath`, target.InputPath, 0, 256)
    .length(`${at}.inputTransformer.inputTemplate`, target.InputTransformer?.InputTemplate, 1, 8192)
    .length(`${at}.inputTransformer.inputPathsMap`, paths, 0, MAX_PATHS);
  for (const [name] of paths) {
    constraints.pattern(`${at}.inputTransformer.inputPathsMap`, name, '(?!aws\\.events\\.)[A-Za-z0-9\\_\\-]+');
  }
  constrainRetryPolicy(constraints, `${at}.retryPolicy`, target.RetryPolicy);
}

function checkService({ Arn, Id, RoleArn, SqsParameters, ...target }: TargetDefinition): void {
  const service = parseArn(Arn)?.service;
  if (service === undefined) throw validationException(`Provided Arn is not in correct format: ${Arn}.`);
  if (!isTarget(Arn)) throw notImplemented(`the EventBridge target ${Arn}`);
  if (!WITHOUT_ROLE.includes(service) && !RoleArn) throw validationException(`RoleArn is required for target ${Arn}.`);
  const block = OTHER_PARAMETERS.find(name => target[name] !== undefined);
  if (block) throw validationException(`Parameter(s) ${block} not supported for target: ${Id}.`);
  if (service === 'sqs' && Arn.endsWith('.fifo') && !SqsParameters?.MessageGroupId) {
    throw validationException(`Parameter(s) SqsParameters must be specified for target: ${Id}.`);
  }
}

function checkInput({ Id, Input, InputPath, InputTransformer }: TargetDefinition): void {
  if ([Input, InputPath, InputTransformer].filter(it => it !== undefined).length > 1) {
    throw validationException(`Only one of Input, InputPath, or InputTransformer must be provided for target ${Id}.`);
  }
  if (Input !== undefined && jsonProblem(Input))
    throw validationException(`JSON syntax error in input for target ${Id}.`);
  const paths = [InputPath ?? '$', ...Object.values(InputTransformer?.InputPathsMap ?? {})];
  if (paths.some(path => !JsonPath.parse(path))) throw validationException(`InputPath for target ${Id} is invalid.`);
}

function checkTemplate({ Id, InputTransformer }: TargetDefinition): void {
  if (!InputTransformer) return;
  const { InputPathsMap = {}, InputTemplate = '' } = InputTransformer;
  const variables = variablesIn(InputTemplate);
  const known = [...Object.keys(InputPathsMap), ...RESERVED_VARIABLES];
  const unknown = variables.find(name => !known.includes(name));
  if (unknown !== undefined) {
    throw validationException(`InputTemplate for target ${Id} contains invalid placeholder ${unknown}.`);
  }
  const wholeEvent = variables.find(name => name === 'aws.events.event.json');
  if (wholeEvent !== undefined && !InputTemplate.trimStart().startsWith('{')) {
    const text = `InputTemplate for target ${Id} contains placeholder ${wholeEvent} valid only for JSON template.`;
    throw validationException(text);
  }
}

export function checkDeadLetterQueue(arn: string | undefined, region: string): void {
  if (arn === undefined) return;
  const queue = parseArn(arn);
  if (queue?.service !== 'sqs') {
    throw validationException(`${queue?.service ?? arn} is not supported as a dead letter resource.`);
  }
  if (arn.endsWith('.fifo')) throw validationException('SQS FIFO is not supported by Dead Letter Queues.');
  if (queue.region !== region) {
    throw validationException(`The dead-letter queue ${arn} must be in the Region of the rule, ${region}.`);
  }
}

/**
 * Event buses may be in any account and Region, other targets in any account of the same Region if the rule has a role.
 * **Assumption EVENTS-15:** AWS documents this, but not the errors for anything else.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-cross-account.html
 */
function checkPlace({ Arn, RoleArn }: TargetDefinition, place: Place): void {
  const { service, account, region } = parseArn(Arn) ?? {};
  if (service === 'events') return;
  if (region !== place.region) throw validationException(`The target ${Arn} must be in the Region of the rule.`);
  if (account === place.account) return;
  if (service === 'logs') throw validationException(`The target ${Arn} must be in the account of the rule.`);
  if (!RoleArn) throw validationException(`RoleArn is required for target ${Arn}.`);
}

/**
 * Checks the rules for a target that are not in the API model.
 * @throws AwsError for the first problem only, as AWS does
 */
function checkTarget(target: TargetDefinition, place: Place): void {
  checkService(target);
  checkPlace(target, place);
  checkInput(target);
  checkTemplate(target);
  checkDeadLetterQueue(target.DeadLetterConfig?.Arn, place.region);
}
