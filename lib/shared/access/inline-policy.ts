import { Stack, Token } from 'aws-cdk-lib';
import { PolicyDocument, type PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnQueueInlinePolicy, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import { formatProblem, type Problem } from '../../../policy/problem';

/** The whole policy of a queue that was made elsewhere. It is made with its first statement. */
export class InlinePolicy {
  private readonly document = new PolicyDocument();
  private resource?: CfnQueueInlinePolicy;

  constructor(private readonly queue: IQueue & Construct) {
    const validate = () => [...this.document.validateForResourcePolicy(), ...this.problems().map(formatProblem)];
    queue.node.addValidation({ validate });
  }

  /** @returns what must be there before the statement holds */
  public add(statement: PolicyStatement): IDependable {
    const { queue, document } = this;
    document.addStatements(statement);
    this.resource ??= new CfnQueueInlinePolicy(queue, 'Policy', { queue: queue.queueUrl, policyDocument: document });
    return this.resource;
  }

  /**
   * A queue has one policy, and CloudFormation creates none where there is one. The first of two that write it is right.
   * An ARN with a token in it may be another queue's in another stack.
   */
  private problems(): Problem[] {
    const { queue, resource } = this;
    const writers = queue.node.root.node.findAll().filter(it => it instanceof CfnQueueInlinePolicy);
    const first = writers.find(it => it.queue === queue.queueUrl);
    if (!resource || !first || first === resource) return [];
    if (Token.isUnresolved(queue.queueArn) && Stack.of(first) !== Stack.of(queue)) return [];
    const rule = `must be GRANTED_ELSEWHERE where ${first.node.path} writes the policy of the same queue`;
    return [{ property: 'access', rule, value: 'WRITE_POLICY' }];
  }
}
