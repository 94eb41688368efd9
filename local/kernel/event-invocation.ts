/** An invocation that Lambda queues and answers at once. */
export interface EventInvocation {
  /** The ARN of a function, a version or an alias. */
  readonly FunctionName: string;
  readonly InvocationType: 'Event';
  /** A JSON document. */
  readonly Payload: string;
}
