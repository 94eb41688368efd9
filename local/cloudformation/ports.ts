import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { Caller } from '../kernel/caller';
import type { DeployTarget } from './deploy';
import type { References } from './dynamic-references';
import type { ResponseBucket } from './response-bucket';
import type { StackRecord } from './stack-record';
import type { CustomResourceAnswers, StandIns } from './stand-ins/stand-in';
import type { CrossStackValues } from './template-scope';

/** The part of Lambda that CloudFormation uses. */
interface Functions {
  /** @throws AwsError with the code and message that Lambda returns */
  call(
    action: 'Invoke',
    caller: Caller,
    input: { readonly FunctionName: string; readonly InvocationType: 'Event'; readonly Payload: Uint8Array },
  ): unknown;
}

/** The part of SNS that CloudFormation uses. */
interface Topics {
  /** @throws AwsError with the code and message that SNS returns */
  call(action: 'Publish', caller: Caller, input: PublishInput): PublishResponse;
}

/** What CloudFormation uses besides the services whose resources it creates. */
export interface CloudFormationDependencies {
  readonly functions: () => Functions;
  readonly topics: () => Topics;
  /** The log of the function with this ARN, oldest line first. */
  readonly functionLog: (functionArn: string) => readonly string[];
  /** What stacks are deployed with in this account and Region. */
  readonly deployTarget: () => DeployTarget;
  /** The exports and outputs of the account's stacks in a Region. */
  readonly stacksIn: (region: string) => CrossStackValues;
  /** Whether the embedded AWS runs the function with this ARN, or code of a test does in its place. */
  readonly runsFunction: (functionArn: string) => boolean;
  readonly customResources: () => CustomResourceAnswers;
  /** What to do with what is not simulated. */
  readonly standIns: () => StandIns;
  /** Looks up values in SSM and Secrets Manager. */
  readonly references: References;
  /** The stacks of all accounts and Regions, in the order of their creation. CloudFormation adds its own. */
  readonly stackRecords: StackRecord[];
  /** The bucket of the Region to which custom resources answer. */
  readonly bucket: ResponseBucket;
}
