// First: it says what to install.
import './shared/cdk-is-installed';

export { RelayFleet } from './fleet/relay-fleet';
export * from './fleet/relay-fleet-props';
export * from './function/function-failures';
export { FailedEventForm, type FunctionFailuresProps } from './function/function-failures-props';
export { CostReport, type CostReportProps } from './operations/cost-report';
export {
  DeadLetterOfficeChecks,
  type DeadLetterOfficeChecksProps,
  FindingSeverity,
} from './operations/dead-letter-office-checks';
export * from './operations/i-watched';
export { OpsDashboard, type OpsDashboardProps } from './operations/ops-dashboard';
export { OpsTopic, type OpsTopicProps } from './operations/ops-topic';
export { DeadLetterQueue } from './queue/dead-letter-queue';
export type { FunctionConsumer } from './queue/function-consumers';
export {
  type DeadLetterFeeder,
  DeadLetterFeederKind,
  type DeadLetterQueueProps,
  type DeadLetterWatchOptions,
  type IDeadLetterQueue,
} from './queue/i-dead-letter-queue';
export {
  DeadLetterAccess,
  ImportedDeadLetterQueue,
  type ImportedDeadLetterQueueProps,
} from './queue/imported-dead-letter-queue';
export * from './queue/processing-queue';
export { type IRedriveDestination, type RedriveQueueOptions, ReplayedForm } from './redrive/i-redrive-destination';
export * from './redrive/quarantine';
export { Redrive } from './redrive/redrive';
export { RedriveDestination } from './redrive/redrive-destination';
export { RedriveLane, type RedriveLaneProps } from './redrive/redrive-lane';
export * from './redrive/redrive-props';
export { HttpRelay } from './relay/http-relay';
export * from './relay/http-relay-props';
export { type OAuthClientCredentials, RelayAuthorization } from './relay/relay-authorization';
export { RelayEndpoint, type RelayNetworkOptions, type SecretEndpointOptions } from './relay/relay-endpoint';
export { AlarmDefaults, AlarmSet } from './shared/alarm-set';
export { FleetMetric, RedriveMetric, RelayMetric } from './shared/own-metrics';
export {
  DeliveryStatusLogging,
  type DeliveryStatusLoggingOptions,
  type DeliveryStatusLoggingProps,
} from './topic/delivery-status-logging';
export * from './topic/durable-topic';
export type { DeliveryFailureRateAlarmOptions, DurableTopicProps } from './topic/durable-topic-props';
export * from './topic/i-durable-topic';
export { ImportedTopic, type ImportedTopicProps } from './topic/imported-topic';
export * from './topic/topic-delivery';
export { TopicDeliveryPolicy, type TopicDeliveryPolicyProps } from './topic/topic-delivery-policy';
