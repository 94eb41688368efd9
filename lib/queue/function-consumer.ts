import type { EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';

/** A function that consumes a queue. */
export interface FunctionConsumer {
  /** The function. */
  readonly handler: IFunction;

  /** Lambda's side of it: what polls the queue and invokes the function, and can be disabled. */
  readonly mapping: EventSourceMapping;
}
