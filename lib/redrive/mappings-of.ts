import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { atSynthesis } from '../shared/at-synthesis';
import { mentions } from '../shared/mentions';
import type { RedriveDestination } from './redrive-destination';

/**
 * The ids of the mappings that read the destination: those that were stated, and those of the same stack. One of another
 * stack may depend on this one, and a reference back would be a cycle.
 */
export function mappingIdsOf(
  scope: Construct,
  { targetQueue: queue, mappings }: RedriveDestination,
): readonly string[] {
  const stated = mappings.map(({ eventSourceMappingId }) => eventSourceMappingId);
  if (!queue) return stated;
  const found = Stack.of(scope)
    .node.findAll()
    .filter(it => it instanceof CfnEventSourceMapping)
    .filter(it => Stack.of(it) === Stack.of(scope) && mentions(it, it.eventSourceArn, queue.queueArn));
  return [...new Set([...stated, ...found.map(({ ref }) => ref)])];
}

/** Lets the function look at them, once the app is whole. */
export function grantOnMappings(scope: Construct, role: Role, ids: () => readonly string[]): void {
  atSynthesis(scope, () => {
    for (const resourceName of ids()) {
      const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
      const mapping = { service: 'lambda', resource: 'event-source-mapping', resourceName, arnFormat };
      const resources = [Stack.of(scope).formatArn(mapping)];
      role.addToPolicy(new PolicyStatement({ actions: ['lambda:GetEventSourceMapping'], resources }));
    }
  });
}
