import type { EventBus as EventBusOutput } from '@aws-sdk/client-eventbridge';
import type { EventBus } from '../event-bus';

/** A bus as lists show it. */
export function busDescription(bus: EventBus): EventBusOutput {
  const { arn, name, policy, createdAtMs, modifiedAtMs, definition } = bus;
  return {
    Name: name,
    Arn: arn,
    ...(definition.description !== undefined && { Description: definition.description }),
    ...(policy && { Policy: JSON.stringify(policy) }),
    CreationTime: new Date(createdAtMs),
    LastModifiedTime: new Date(modifiedAtMs),
  };
}
