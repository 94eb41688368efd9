export { nameInArn } from '../policy/arn';
export {
  AssemblyError,
  type CustomResourceAnswer,
  type CustomResourceAnswers,
  type DeployedResource,
  type DeployedStack,
  StackFailed,
  type StandIn,
  type StandInRule,
  type StandIns,
} from './cloudformation';
export type { AlarmStateValue } from './cloudwatch/alarms/alarm-configuration';
export type { DeployCause } from './deploy-check/causes';
export type { DeliveryChangeKind } from './deploy-check/comparison';
export {
  type DeliveryChange,
  type DeployCheck,
  type DeployCheckOptions,
  deployCheck,
  type ReceiverReport,
} from './deploy-check/deploy-check';
export type { NotFollowed } from './deploy-check/gaps';
export type { Becomes } from './deploy-check/message-history';
export type { DeployRisk } from './deploy-check/static-check';
export type { ObjectEvent } from './facade/bucket-notifications';
export type { ClientConfig, RequestOptions, SdkRequestHandler, TextAnswer } from './facade/client';
export type { BusEventInput, Emit, KinesisRecord, KinesisRecords, TableChange, TableChanges } from './facade/emit';
export type { Listening, ListenOptions } from './facade/listen';
export { LocalAws } from './facade/local-aws';
export type { FunctionHandler, HandlerContext, LocalFunction } from './facade/local-function';
export type { DrainedMessage, PublishOptions, SendOptions } from './facade/messages';
export type {
  AccountAndRegion,
  ActingAs,
  AssemblySource,
  DestroyOptions,
  LocalAwsOptions,
  PlaceOptions,
  SynthesizedAssembly,
  TimeSpan,
  UpdateOptions,
} from './facade/options';
export type {
  AlarmSummary,
  ApiState,
  EndpointState,
  LocalAwsState,
  PendingSubscription,
  QueueState,
  TopicState,
} from './facade/state';
export type { Unknown } from './facade/unknowns';
export type { OnGone } from './kernel/caller';
export { type Clock, isoInstant, isoInstantMs } from './kernel/clock';
export type { ActiveFault, Fault, Faults, FaultyService, SetFault } from './kernel/faults';
export type { Place } from './kernel/place';
export type { Random } from './kernel/random';
export type { ActivePeriod } from './kernel/script';
export {
  type Scheduled,
  type Scheduler,
  type Task,
  type TimelineOptions,
  TimeStopped,
  WorkFailed,
} from './kernel/timeline';
export {
  type EventDocument,
  type EventText,
  eventDocument,
  eventText,
  type Recorder,
  type Trace,
  type Traced,
  type TraceEvent,
  type TraceNote,
  type TraceOptions,
} from './kernel/trace';
export type { Interruption, Interruptions, LambdaOptions } from './lambda';
export { Ledger, type SubscriberAccount, type UnreceivedMessages } from './ledger';
export type { LogEvent } from './logs';
export type { Behaviour, Resolution } from './network/behaviour';
export type { NoAnswer, OutgoingRequest, Reply, Resolved, Unconnected } from './network/network';
export {
  type FailedConnection,
  noAnswer,
  OutsideEndpoint,
  type ReceivedRequest,
  type ReplyTime,
  type ResponseManner,
  response,
  silence,
} from './network/outside-endpoint';
export type { Receipt, RecipientBehaviour, Recipients, RecordedProtocol, SnsOptions, TextMessage } from './sns';
export type { AwsTraceEvent, TracedAwsEvent } from './trace-events';
export {
  type Answer,
  type AnswerOptions,
  awsError,
  type ForwardOptions,
  type OtherService,
  type ServiceCall,
  type Speed,
} from './wire';
