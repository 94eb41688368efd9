import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { Caller } from '../kernel/caller';
import type { Refused, ServiceContext } from '../kernel/service-api';
import type { Host } from '../network/network';
import type { References } from './dynamic-references';

export type CloudFormationContext = Pick<
  ServiceContext<CloudFormationTraceEvent>,
  'place' | 'timeline' | 'random' | 'access' | 'faults' | 'trace'
>;

/** The part of Lambda that CloudFormation uses. */
interface Functions {
  /** @throws AwsError as Lambda would answer */
  call(
    action: 'Invoke',
    caller: Caller,
    input: { readonly FunctionName: string; readonly InvocationType: 'Event'; readonly Payload: Uint8Array },
  ): unknown;
}

/** The part of SNS that CloudFormation uses. */
interface Topics {
  /** @throws AwsError as SNS would answer */
  call(action: 'Publish', caller: Caller, input: PublishInput): PublishResponse;
}

/** What CloudFormation uses besides the services whose resources it creates. */
export interface CloudFormationDependencies {
  readonly functions: () => Functions;
  readonly topics: () => Topics;
  /** The log of the function with this ARN, oldest line first. */
  readonly functionLog: (functionArn: string) => readonly string[];
  /** Looks up values in SSM and Secrets Manager. */
  readonly references: References;
  readonly network: { attach(hostName: string, host: Host): void };
}

interface OfCustomResource {
  readonly stackId: string;
  readonly logicalId: string;
  readonly requestId: string;
}

/** The trace events of CloudFormation. Resources are recorded by their own services. */
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
  /** The answer did not arrive in time, or is invalid. */
  | (OfCustomResource & { readonly type: 'cloudformation.custom-resource-failed'; readonly reason: string })
  | Refused<'cloudformation'>;
