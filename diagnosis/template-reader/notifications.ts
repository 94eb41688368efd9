import { isKnown, type MaybeKnown } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import type { NotificationFacts } from '../inventory/inventory';
import type { AppReading, ResourceReading } from './app-reading';

/** The lists of targets in a notification configuration, as CloudFormation and as S3's API spell them. */
const TARGETS = [
  ['QueueConfigurations', 'Queue'],
  ['QueueConfigurations', 'QueueArn'],
  ['LambdaConfigurations', 'Function'],
  ['LambdaFunctionConfigurations', 'LambdaFunctionArn'],
] as const;

function targetsIn(configuration: PropertyValue): MaybeKnown<string>[] {
  return TARGETS.flatMap(([name, member]) => {
    const list = configuration.at(name).list();
    return isKnown(list) ? list.map(it => it.at(member)).filter(it => it.isPresent === true) : [];
  }).map(it => it.requiredText());
}

function facts(
  by: ResourceReading,
  arn: MaybeKnown<string>,
  targets: readonly MaybeKnown<string>[],
): NotificationFacts[] {
  return targets.map(targetArn => ({ ...by.as(arn), targetArn }));
}

function ofIotRule(rule: ResourceReading): NotificationFacts[] {
  const actions = rule.given('TopicRulePayload').at('Actions').list();
  const functions = isKnown(actions) ? actions.map(it => it.at('Lambda').at('FunctionArn')) : [];
  const given = functions.filter(it => it.isPresent === true).map(it => it.requiredText());
  return facts(rule, rule.attribute('Arn'), given);
}

/** The notifications of buckets, which aws-cdk-lib sets by a custom resource, and the functions of IoT rules. */
export function readNotifications(app: AppReading): NotificationFacts[] {
  const buckets = app.resources('AWS::S3::Bucket', 'Custom::S3BucketNotifications');
  return [
    ...buckets.flatMap(it => facts(it, it.ref, targetsIn(it.given('NotificationConfiguration')))),
    ...app.resources('AWS::IoT::TopicRule').flatMap(ofIotRule),
  ];
}
