import type { Target as TargetInput } from '@aws-sdk/client-eventbridge';
import { constrainRuleName, eventsConstraints, eventsPage, limitExceeded, validationException } from '../constraints';
import { Target, type TargetDefinition } from '../target';
import type { EventsAction } from './events-action';
import { checkTarget, constrainTarget } from './target-rules';

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

/**
 * A caller that gives a target a role must be allowed to pass that role (`iam:PassRole`).
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutTargets.html
 */
export const putTargets: EventsAction<'PutTargets'> = {
  permission: 'events:PutTargets',
  resourceOf: (state, { Rule, EventBusName }) => state.ruleAt(Rule, EventBusName),
  run: ({ buses, context, checks }, { caller, input: { Rule = '', EventBusName, Targets = [] } }) => {
    const constraints = constrainRuleName(eventsConstraints(), 'rule', Rule);
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
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_RemoveTargets.html */
export const removeTargets: EventsAction<'RemoveTargets'> = {
  permission: 'events:RemoveTargets',
  resourceOf: (state, { Rule, EventBusName }) => state.ruleAt(Rule, EventBusName),
  run: ({ buses, context }, { input: { Rule = '', EventBusName, Ids = [] } }) => {
    eventsConstraints().length('ids', Ids, 1, 100).check();
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
};

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListTargetsByRule.html */
export const listTargetsByRule: EventsAction<'ListTargetsByRule'> = {
  permission: 'events:ListTargetsByRule',
  resourceOf: (state, { Rule, EventBusName }) => state.ruleAt(Rule, EventBusName),
  run: ({ buses }, { input: { Rule = '', EventBusName, Limit, NextToken } }) => {
    const targets = [...buses.rule(Rule, EventBusName).targets.values()];
    const { items, nextToken } = eventsPage(targets, Limit, NextToken);
    return { Targets: items.map(({ definition }) => definition), ...(nextToken && { NextToken: nextToken }) };
  },
};
