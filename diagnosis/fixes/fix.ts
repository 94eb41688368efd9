/** A call of AWS, as its API has it. */
export interface AwsCall {
  /** As the `aws` command spells it: `sqs`, `kms`, `lambda`, `sns`, `cloudwatch`, `iam`. */
  readonly service: string;
  /** `SetQueueAttributes`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What takes the cause of a loss away. */
export interface Fix {
  /** What to do, in a sentence: `Let SNS send to the queue.` */
  readonly says: string;
  /** The statement of a policy that is missing. @default - none is */
  readonly statement?: Readonly<Record<string, unknown>>;
  /** The calls that do it, whole: what is there already is in them. @default - only a person can say how */
  readonly calls?: readonly AwsCall[];
}
