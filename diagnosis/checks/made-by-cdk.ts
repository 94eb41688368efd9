import { parseArn } from '../../policy/arn';
import { knownValue } from '../../template/told';
import type { Inventory, Resource, TargetFacts } from '../inventory/inventory';
import { functionOf } from '../inventory/look-ups';

/**
 * Constructs aws-cdk-lib makes by itself, once a stack: what calls AWS for a rule or a custom resource, sets how long logs are
 * kept, fills and empties buckets. Whoever writes the app has no property by which to change them.
 */
const MADE_BY_CDK: readonly RegExp[] = [
  /\/AWS[0-9a-f]{32}$/,
  /\/LogRetention[0-9a-f]{32}$/,
  /\/CrossRegionAwsSdk[0-9a-f]{32}$/,
  /\/BucketNotificationsHandler[0-9a-f]{32}$/,
  /\/Custom::[^/]+$/,
  /\/[^/]*CustomResourceProvider\/Handler$/,
  /\/framework-(onEvent|isComplete|onTimeout)$/,
];

const OWN_RESOURCE = /\/(Resource|Default)$/;

/** Whether a resource of a template is one that aws-cdk-lib makes for itself. */
export function isMadeByCdk({ place }: Resource): boolean {
  const path = place?.constructPath?.replace(OWN_RESOURCE, '');
  return path !== undefined && MADE_BY_CDK.some(it => it.test(path));
}

/** Whether aws-cdk-lib has no property by which a rule's target is given a dead-letter queue: `AwsApi`, and those of Firehose. */
export function takesNoDeadLetterQueue(target: TargetFacts, inventory: Inventory): boolean {
  const arn = knownValue(target.targetArn);
  if (target.kind !== 'rule' || target.place?.constructPath === undefined || arn === undefined) return false;
  if (parseArn(arn)?.service === 'firehose') return true;
  const lambda = functionOf(arn, inventory, target);
  return lambda !== undefined && isMadeByCdk(lambda);
}
