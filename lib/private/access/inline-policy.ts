import { PolicyDocument, type PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnQueueInlinePolicy, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';

/** The whole policy of a queue that was made elsewhere. It is made with its first statement. */
export class InlinePolicy {
  private readonly document = new PolicyDocument();
  private resource?: CfnQueueInlinePolicy;

  constructor(private readonly queue: IQueue & Construct) {
    queue.node.addValidation({ validate: () => this.document.validateForResourcePolicy() });
  }

  /** @returns what must be there before the statement holds */
  public add(statement: PolicyStatement): IDependable {
    const { queue, document } = this;
    document.addStatements(statement);
    this.resource ??= new CfnQueueInlinePolicy(queue, 'Policy', { queue: queue.queueUrl, policyDocument: document });
    return this.resource;
  }
}
