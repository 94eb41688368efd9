import type { ChangeSetType, DescribeChangeSetOutput } from '@aws-sdk/client-cloudformation';
import type { StackArtifact } from './assembly';
import type { PredictedChange } from './change-prediction';
import type { StackRecord } from './stack-record';

export interface RequestedStack {
  readonly artifact: StackArtifact;
  readonly given: Readonly<Record<string, string>>;
}

/** A change set, which is computed when it is created, and planned again when it is executed. */
export interface ChangeSet {
  readonly name: string;
  readonly arn: string;
  readonly stack: StackRecord;
  readonly wanted: RequestedStack;
  readonly type: ChangeSetType;
  readonly changes: readonly PredictedChange[];
  readonly createdAtMs: number;
  readonly capabilities: DescribeChangeSetOutput['Capabilities'];
  readonly isEmpty: boolean;
  isExecuted: boolean;
}
