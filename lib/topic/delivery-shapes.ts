import { SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { RelayFleet } from '../fleet/relay-fleet';
import type { HttpRelay } from '../relay/http-relay';
import { FILTERS } from '../relay/relay-shapes';
import { ALARM_ACTIONS, QUEUE } from '../shared/cdk-shapes';
import { BOOLEAN, enumValue, having, OBJECT, optional, struct } from '../shared/shapes';
import type {
  EmailDeliveryOptions,
  EndpointDeliveryOptions,
  QueueDeliveryOptions,
  TopicDeliveryOptions,
} from './topic-delivery';

export const RELAY = having<HttpRelay>('an HttpRelay', 'queue', 'mapping', 'deadLetterQueue');

export const FLEET = having<RelayFleet>('a RelayFleet', 'eventsQueue', 'deliverer', 'deadLetterQueue');

export const DELIVERY_OPTIONS = struct<TopicDeliveryOptions>({
  deadLetterQueue: optional(QUEUE),
  alarmActions: optional(ALARM_ACTIONS),
  ...FILTERS,
});

export const RAW_DELIVERY_OPTIONS = struct<QueueDeliveryOptions>({
  ...DELIVERY_OPTIONS.members,
  rawMessageDelivery: optional(BOOLEAN),
});

export const ENDPOINT_DELIVERY_OPTIONS = struct<EndpointDeliveryOptions>({
  ...RAW_DELIVERY_OPTIONS.members,
  protocol: optional(enumValue('SubscriptionProtocol', SubscriptionProtocol)),
  deliveryPolicy: optional(OBJECT),
  retryWith: optional(RELAY),
});

export const EMAIL_DELIVERY_OPTIONS = struct<EmailDeliveryOptions>({
  ...DELIVERY_OPTIONS.members,
  json: optional(BOOLEAN),
});
