import {
  EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  type Rule,
  type Target,
} from '@aws-sdk/client-eventbridge';
import type { TargetFacts } from '../../diagnosis/inventory/inventory';
import { TARGET_EVENT_AGE_SECONDS } from '../../policy/limits/event-age';
import { isKnown } from '../../template/told';
import type { AccountReader, Question } from './account-reader';
import { allPages } from './all-pages';
import { unlessEmpty } from './attribute-text';
import { eventBusNames } from './event-buses';

const RULES: Question = { action: 'events:ListRules', of: ['event bus', 'event buses'], tells: 'the rules' };

const TARGETS: Question = { action: 'events:ListTargetsByRule', of: ['rule', 'rules'], tells: 'the targets' };

const DISABLED = 'DISABLED';

/** Whether a rule is one a service of AWS keeps for itself: nobody else may change its targets. */
function isOfService({ ManagedBy }: Rule): boolean {
  return ManagedBy !== undefined && ManagedBy !== '';
}

function targetFacts({ Name = '', Arn: arn = '', State }: Rule, target: Target): TargetFacts {
  return {
    arn,
    name: `${Name}/${target.Id}`,
    kind: 'rule',
    targetArn: target.Arn ?? '',
    deadLetterTargetArn: unlessEmpty(target.DeadLetterConfig?.Arn),
    roleArn: unlessEmpty(target.RoleArn),
    isEnabled: State !== DISABLED,
    maximumEventAgeSeconds: target.RetryPolicy?.MaximumEventAgeInSeconds ?? TARGET_EVENT_AGE_SECONDS,
  };
}

/**
 * Every target of every rule of the Region, but for those of rules that services of AWS keep for themselves. It takes the permissions `events:ListEventBuses`, `events:ListRules` and
 * `events:ListTargetsByRule`.
 */
export async function readRuleTargets(reader: AccountReader): Promise<readonly TargetFacts[]> {
  const events = reader.aws.client(EventBridgeClient);
  const rules = await reader.each(await eventBusNames(events), EventBusName => {
    const page = async (NextToken: string | undefined) => {
      const { Rules = [], NextToken: next } = await events.send(new ListRulesCommand({ EventBusName, NextToken }));
      return { items: Rules.filter(rule => !isOfService(rule)), next };
    };
    return reader.ask(RULES, EventBusName, () => allPages(page));
  });
  const targets = await reader.each(rules.filter(isKnown).flat(), async rule => {
    const { Name = '', EventBusName } = rule;
    const page = async (NextToken: string | undefined) => {
      const asked = new ListTargetsByRuleCommand({ Rule: Name, EventBusName, NextToken });
      const { Targets = [], NextToken: next } = await events.send(asked);
      return { items: Targets.map(target => targetFacts(rule, target)), next };
    };
    return reader.ask(TARGETS, Name, () => allPages(page));
  });
  return targets.filter(isKnown).flat();
}
