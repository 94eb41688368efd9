import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { Caller } from '../kernel/caller';
import type { Refused, ServiceContext } from '../kernel/service-api';
import type { Host } from '../network/network';
import type { References } from './dynamic-references';

export type CloudFormationContext = Pick<
  ServiceContext<CloudFormationTraceEvent>,
  'place' | 'timeline' | 'random' | 'access' | 'faults' | 'trace'
>;

/** What CloudFormation asks of Lambda; Lambda itself is one of these. */
export interface Functions {
  /** @throws AwsError as Lambda would answer */
  call(
    action: 'Invoke',
    caller: Caller,
    input: { readonly FunctionName: string; readonly InvocationType: 'Event'; readonly Payload: Uint8Array },
  ): unknown;
}

/** What CloudFormation asks of SNS; SNS itself is one of these. */
export interface Topics {
  /** @throws AwsError as SNS would answer */
  call(action: 'Publish', caller: Caller, input: PublishInput): PublishResponse;
}

/** Everything CloudFormation reaches beside the services whose resources it creates. */
export interface CloudFormationDependencies {
  readonly functions: () => Functions;
  readonly topics: () => Topics;
  /** What the function with this ARN has written into its log, oldest first. */
  readonly functionLog: (functionArn: string) => readonly string[];
  /** What templates look up in SSM and Secrets Manager. */
  readonly references: References;
  readonly network: { attach(hostName: string, host: Host): void };
}

interface OfCustomResource {
  readonly stackId: string;
  readonly logicalId: string;
  readonly requestId: string;
}

/** What CloudFormation writes into the trace: resources are told of by the services they live in. */
export type CloudFormationTraceEvent =
  | (OfCustomResource & {
      readonly type: 'cloudformation.custom-resource-requested';
      readonly resourceType: string;
      /** The ARN of a function or a topic. */
      readonly serviceToken: string;
    })
  | (OfCustomResource & {
      readonly type: 'cloudformation.custom-resource-answered';
      readonly status: 'SUCCESS' | 'FAILED';
      readonly physicalId: string;
    })
  /** There was no answer in time, or one that cannot be used. */
  | (OfCustomResource & { readonly type: 'cloudformation.custom-resource-failed'; readonly reason: string })
  | Refused<'cloudformation'>;
