import type { ApiGatewayTraceEvent } from './apigateway';
import type { CloudFormationTraceEvent } from './cloudformation';
import type { CloudWatchTraceEvent } from './cloudwatch';
import type { DynamoDbTraceEvent } from './dynamodb';
import type { EventsTraceEvent } from './events';
import type { FirehoseTraceEvent } from './firehose';
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

/** S3 is not simulated, except for the notifications that a scenario emits. */
interface BucketNotification {
  readonly bucket: string;
  readonly key: string;
  /** For example `ObjectCreated:Put`. */
  readonly event: string;
  /** A function, a queue or a topic. */
  readonly destinationArn: string;
}

type S3TraceEvent =
  | (BucketNotification & { readonly type: 's3.notified' })
  /** The destination refused the notification. It is lost. */
  | (BucketNotification & { readonly type: 's3.notification-lost'; readonly code: string; readonly reason: string });

/** Every event that the embedded AWS records. */
export type AwsTraceEvent =
  | ApiGatewayTraceEvent
  | CloudFormationTraceEvent
  | CloudWatchTraceEvent
  | DynamoDbTraceEvent
  | EventsTraceEvent
  | FirehoseTraceEvent
  | IamTraceEvent
  | KmsTraceEvent
  | LambdaTraceEvent
  | LogsTraceEvent
  | SecretsManagerTraceEvent
  | S3TraceEvent
  | SchedulerTraceEvent
  | SnsTraceEvent
  | SqsTraceEvent
  | SsmTraceEvent
  | StsTraceEvent
  | WireTraceEvent;

/** An event with its position in the trace. */
export type TracedAwsEvent = Traced<AwsTraceEvent>;
