export type { ClientConfig, SdkRequestHandler } from './client-config';
export { AssemblyError, type DeployedResource, type DeployedStack } from './cloudformation';
export type { AwsHappening, TracedHappening } from './happenings';
export { nameInArn } from './kernel/arn';
export { isoInstant } from './kernel/clock';
export type { Fault, Faults, FaultyService } from './kernel/faults';
export type { Place } from './kernel/place';
export type { Random } from './kernel/random';
export { type Scheduler, type TimelineOptions, WorkFailed } from './kernel/timeline';
export type { Trace, TraceOptions } from './kernel/trace';
export type { LambdaOptions } from './lambda';
export { Ledger, type SubscriberAccount } from './ledger/ledger';
export type { Listening, ListenOptions } from './listen';
export {
  LocalAws,
  type LocalAwsOptions,
  type RequestOptions,
  type SynthesizedAssembly,
  type TextAnswer,
} from './local-aws';
export type { LogEvent } from './logs';
export type { NoAnswer, OutgoingRequest, Reply } from './network/network';
export { type Behaviour, OutsideEndpoint, type ReceivedRequest, response } from './network/outside-endpoint';
export type { SnsOptions } from './sns';
export type { Stretch } from './stretch';
export type { Speed } from './wire';
export type { AlarmSummary, QueueState, TopicState, WorldState } from './world-state';
