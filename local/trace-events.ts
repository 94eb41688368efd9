import type { ApiGatewayTraceEvent } from './apigateway';
import type { CloudFormationTraceEvent } from './cloudformation';
import type { CloudWatchTraceEvent } from './cloudwatch';
import type { EventsTraceEvent } from './events';
import type { IamTraceEvent } from './iam';
import type { Traced } from './kernel/trace';
import type { KmsTraceEvent } from './kms';
import type { LambdaTraceEvent } from './lambda';
import type { LogsTraceEvent } from './logs';
import type { SchedulerTraceEvent } from './scheduler';
import type { SecretsManagerTraceEvent } from './secrets-manager';
import type { SnsTraceEvent } from './sns';
import type { SqsTraceEvent } from './sqs';
import type { SsmTraceEvent } from './ssm';
import type { StsTraceEvent } from './sts';
import type { WireTraceEvent } from './wire';

/** Every event that the embedded AWS records. */
export type AwsTraceEvent =
  | ApiGatewayTraceEvent
  | CloudFormationTraceEvent
  | CloudWatchTraceEvent
  | EventsTraceEvent
  | IamTraceEvent
  | KmsTraceEvent
  | LambdaTraceEvent
  | LogsTraceEvent
  | SecretsManagerTraceEvent
  | SchedulerTraceEvent
  | SnsTraceEvent
  | SqsTraceEvent
  | SsmTraceEvent
  | StsTraceEvent
  | WireTraceEvent;

/** An event with its position in the trace. */
export type TracedAwsEvent = Traced<AwsTraceEvent>;
