import { isE164, phoneKey } from '../../../policy/limits/phone-number';
import { AwsError } from '../../kernel/aws-error';
import type { Clock } from '../../kernel/clock';
import { invalidParameter } from '../errors';

/** Somebody may be opted in once in so many days. */
const OPT_IN_EVERY_MS = 30 * 86_400_000;

/** The settings of an account for text messages, with the values they may have where AWS says which. */
const SETTINGS: ReadonlyMap<string, RegExp> = new Map([
  ['DefaultSMSType', /^(Promotional|Transactional)$/],
  ['DefaultSenderID', /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$|^$/],
  ['DeliveryStatusIAMRole', /^/],
  ['DeliveryStatusSuccessSamplingRate', /^(100|[1-9]?\d)?$/],
  ['MonthlySpendLimit', /^\d*$/],
  ['UsageReportS3Bucket', /^/],
]);

/** What an account has before anybody sets anything. */
const DEFAULTS: Readonly<Record<string, string>> = { MonthlySpendLimit: '1' };

/** @throws AwsError when the text is no phone number */
function checkedKey(phoneNumber: string): string {
  if (!isE164(phoneNumber)) throw invalidParameter('PhoneNumber Reason: input incorrectly formatted');
  return phoneKey(phoneNumber);
}

/**
 * What an account knows of phones: its settings for text messages, and who wants none.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-mobile-phone-number-as-subscriber.html
 */
export class Phones {
  private readonly settings = new Map(Object.entries(DEFAULTS));
  private readonly optedOut = new Set<string>();
  private readonly optedInAtMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Everybody who wants no messages, in the order in which they said so. */
  get optedOutNumbers(): readonly string[] {
    return [...this.optedOut];
  }

  setting(name: string): string | undefined {
    return this.settings.get(name);
  }

  /** The settings that have a value. */
  allSettings(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.settings);
  }

  /** An empty value takes a setting back. @throws AwsError, and nothing is set, when there is no such setting or value */
  set(settings: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(settings)) {
      const allowed = SETTINGS.get(name);
      if (!allowed) throw new AwsError('InvalidParameter', `${name} is not a valid attribute`);
      if (!allowed.test(value)) throw new AwsError('InvalidParameter', `${name} is invalid`);
    }
    for (const [name, value] of Object.entries(settings)) {
      if (value === '') this.settings.delete(name);
      else this.settings.set(name, value);
    }
  }

  /** The owner of a phone answers STOP: from now on nothing reaches it. */
  optOut(phoneNumber: string): void {
    this.optedOut.add(checkedKey(phoneNumber));
  }

  /**
   * Whoever runs the account takes somebody back, which they may do once in 30 days.
   * @throws AwsError when they have done so already, in words of ours
   */
  optIn(phoneNumber: string): void {
    const key = checkedKey(phoneNumber);
    if (!this.optedOut.has(key)) return;
    const { nowMs } = this.clock;
    const beforeMs = this.optedInAtMs.get(key);
    if (beforeMs !== undefined && nowMs < beforeMs + OPT_IN_EVERY_MS) {
      throw invalidParameter('PhoneNumber Reason: it was opted in within the last 30 days');
    }
    this.optedInAtMs.set(key, nowMs);
    this.optedOut.delete(key);
  }

  /** @throws AwsError when the text is no phone number */
  isOptedOut(phoneNumber: string): boolean {
    return this.optedOut.has(checkedKey(phoneNumber));
  }

  /** Whether nothing reaches a subscribed phone, however its number is written. */
  refuses(endpoint: string): boolean {
    return this.optedOut.has(phoneKey(endpoint));
  }
}
