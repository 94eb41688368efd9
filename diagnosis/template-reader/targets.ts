import { TARGET_EVENT_AGE_SECONDS } from '../../policy/limits/event-age';
import type { PropertyValue } from '../../template/given';
import { isKnown, type MaybeKnown, type Unknown } from '../../template/told';
import type { TargetFacts } from '../inventory/inventory';
import type { AppReading } from './app-reading';
import type { ResourceReading } from './resource-reading';

const DISABLED = 'DISABLED';

function isEnabled(resource: ResourceReading): MaybeKnown<boolean> {
  const state = resource.given('State').text('ENABLED');
  return isKnown(state) ? state !== DISABLED : state;
}

function whereTo(target: PropertyValue) {
  return {
    targetArn: target.at('Arn').requiredText(),
    deadLetterTargetArn: target.at('DeadLetterConfig').at('Arn').text(undefined),
    roleArn: target.at('RoleArn').text(undefined),
    maximumEventAgeSeconds: target.at('RetryPolicy').at('MaximumEventAgeInSeconds').number(TARGET_EVENT_AGE_SECONDS),
  };
}

const OF_THE_RULE: Unknown = { unknownBecause: 'may be the role of the rule: AWS does not say for which targets' };

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-rule.html */
function roleOf(target: PropertyValue, rule: ResourceReading): MaybeKnown<string | undefined> {
  const own = target.at('RoleArn').text(undefined);
  return own === undefined && rule.given('RoleArn').isPresent !== false ? OF_THE_RULE : own;
}

function ruleTargets(rule: ResourceReading): TargetFacts[] {
  const targets = rule.given('Targets').list();
  if (!isKnown(targets)) return [];
  return targets.map((target, index) => ({
    ...rule.as(rule.attribute('Arn'), targets.length > 1 ? ` Targets[${index}]` : ''),
    kind: 'rule',
    ...whereTo(target),
    roleArn: roleOf(target, rule),
    isEnabled: isEnabled(rule),
  }));
}

/** The targets of rules and schedules in an app's templates. */
export function readTargets(app: AppReading): TargetFacts[] {
  const schedules = app.resources('AWS::Scheduler::Schedule').map(
    (schedule): TargetFacts => ({
      ...schedule.as(schedule.attribute('Arn')),
      kind: 'schedule',
      ...whereTo(schedule.given('Target')),
      isEnabled: isEnabled(schedule),
    }),
  );
  return [...app.resources('AWS::Events::Rule').flatMap(ruleTargets), ...schedules];
}
