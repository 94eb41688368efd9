import { Iam, type IamTraceEvent } from '../../../local/iam';
import type { KeyDecision } from '../../../local/kernel/access';
import type { Caller } from '../../../local/kernel/caller';
import { Faults } from '../../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace } from '../../../local/kernel/trace';
import { Kms, type KmsTraceEvent } from '../../../local/kms';

export const VIA_SQS = 'sqs.us-east-1.amazonaws.com';
export const VIA_SNS = 'sns.us-east-1.amazonaws.com';

/** KMS with the real IAM behind it. */
export class KmsFixture {
  readonly timeline = new Timeline(Date.UTC(2026, 0, 1));
  readonly trace = new Trace<KmsTraceEvent | IamTraceEvent>(this.timeline);
  readonly faults = new Faults(this.timeline);
  private readonly world = {
    place: EXAMPLE_PLACE,
    timeline: this.timeline,
    random: new Random('kms test'),
    trace: this.trace,
  };
  readonly iam = new Iam(this.world);
  readonly kms = new Kms({ ...this.world, access: this.iam, faults: this.faults });

  /** May the caller put a message into, and take one out of, a queue under this key? */
  throughQueue(keyId: string, caller: Caller): { readonly send: KeyDecision; readonly receive: KeyDecision } {
    return {
      send: this.kms.decide(keyId, 'kms:GenerateDataKey', caller, VIA_SQS),
      receive: this.kms.decide(keyId, 'kms:Decrypt', caller, VIA_SQS),
    };
  }
}
