import type { ApiGatewayHappening } from '../apigateway';
import type { CloudFormationHappening } from '../cloudformation';
import type { CloudWatchHappening } from '../cloudwatch';
import type { EventsHappening } from '../events';
import type { IamHappening } from '../iam';
import type { Traced } from '../kernel/trace';
import type { KmsHappening } from '../kms';
import type { LambdaHappening } from '../lambda';
import type { LogsHappening } from '../logs';
import type { SchedulerHappening } from '../scheduler';
import type { SecretsManagerHappening } from '../secrets-manager';
import type { SnsHappening } from '../sns';
import type { SqsHappening } from '../sqs';
import type { SsmHappening } from '../ssm';
import type { StsHappening } from '../sts';
import type { WireHappening } from '../wire';

/** Everything that can happen in the embedded AWS. */
export type AwsHappening =
  | ApiGatewayHappening
  | CloudFormationHappening
  | CloudWatchHappening
  | EventsHappening
  | IamHappening
  | KmsHappening
  | LambdaHappening
  | LogsHappening
  | SecretsManagerHappening
  | SchedulerHappening
  | SnsHappening
  | SqsHappening
  | SsmHappening
  | StsHappening
  | WireHappening;

/** A happening in its place in the trace. */
export type TracedHappening = Traced<AwsHappening>;
