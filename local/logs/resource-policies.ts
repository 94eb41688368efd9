import type { ResourcePolicy } from '@aws-sdk/client-cloudwatch-logs';
import type { PolicyDocument } from '../kernel/access';
import { readPolicyText } from '../policy-document';
import { invalidParameter, limitExceeded, resourceMissing } from './errors';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html */
const MAX_POLICIES = 10;

interface Kept {
  readonly text: string;
  readonly document: PolicyDocument;
  readonly updatedAtMs: number;
}

/** The policies by which an account lets services write into its log groups. Together they are one. */
export class ResourcePolicies {
  private readonly byName = new Map<string, Kept>();
  private joined: PolicyDocument | undefined;

  /** What holds for every log group of the account, if there is anything. */
  get document(): PolicyDocument | undefined {
    return this.joined;
  }

  /** @throws AwsError when the policy cannot be evaluated, or the account has as many as it may have */
  put(name: string, text: string, nowMs: number): ResourcePolicy {
    const document = readPolicyText(text, 'resource', problem =>
      invalidParameter(
        problem === undefined ? 'The specified policy document is invalid.' : `Invalid policy: ${problem}`,
      ),
    );
    if (!this.byName.has(name) && this.byName.size >= MAX_POLICIES) throw limitExceeded();
    const kept = { text, document, updatedAtMs: nowMs };
    this.byName.set(name, kept);
    this.join();
    return describe(name, kept);
  }

  /** @throws AwsError when there is none of this name */
  delete(name: string): void {
    if (!this.byName.delete(name)) throw resourceMissing();
    this.join();
  }

  list(): readonly ResourcePolicy[] {
    return [...this.byName].map(([name, kept]) => describe(name, kept));
  }

  private join(): void {
    const statements = [...this.byName.values()].flatMap(({ document: { Statement } }) => Statement);
    this.joined = statements.length > 0 ? { Version: '2012-10-17', Statement: statements } : undefined;
  }
}

function describe(policyName: string, { text, updatedAtMs }: Kept): ResourcePolicy {
  return { policyName, policyDocument: text, lastUpdatedTime: updatedAtMs };
}
