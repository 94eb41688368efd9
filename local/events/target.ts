import type { Target as TargetInput } from '@aws-sdk/client-eventbridge';
import { type RetryPolicy, retryPolicyOf } from '../event-delivery';
import { InputTransformation } from './delivery/input-transformation';
import { JsonPath } from './delivery/json-path';

/** The parts of a target everything else follows from. */
export type TargetDefinition = TargetInput & { readonly Id: string; readonly Arn: string };

/** Where a rule sends what it matches. */
export class Target {
  readonly retryPolicy: RetryPolicy;
  readonly transformation: InputTransformation | undefined;
  readonly inputPath: JsonPath | undefined;

  /** @param definition as `PutTargets` was given it, and found in order */
  constructor(readonly definition: TargetDefinition) {
    const { RetryPolicy: policy, InputTransformer, InputPath } = definition;
    this.retryPolicy = retryPolicyOf(policy);
    this.transformation = InputTransformer && InputTransformation.of(InputTransformer);
    this.inputPath = InputPath === undefined ? undefined : JsonPath.parse(InputPath);
  }

  get id(): string {
    return this.definition.Id;
  }

  get arn(): string {
    return this.definition.Arn;
  }
}
