import { isE164, phoneKey } from '../../../policy/address-formats';
import { DAY_MS } from '../../../policy/time-units';
import { AwsError } from '../../kernel/aws-error';
import type { Clock } from '../../kernel/clock';
import { invalidParameter } from '../errors';
import type { MessageAttributes } from '../publish/message';

/** A phone number can be opted in once in 30 days. */
const OPT_IN_EVERY_MS = 30 * DAY_MS;

/** The SMS settings of an account, with their valid values where AWS publishes them. */
const SETTINGS: ReadonlyMap<string, RegExp> = new Map([
  ['DefaultSMSType', /^(Promotional|Transactional)$/],
  ['DefaultSenderID', /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$|^$/],
  ['DeliveryStatusIAMRole', /^/],
  ['DeliveryStatusSuccessSamplingRate', /^(100|[1-9]?\d)?$/],
  ['MonthlySpendLimit', /^\d*$/],
  ['UsageReportS3Bucket', /^/],
]);

/** The initial settings of an account. */
const DEFAULTS: Readonly<Record<string, string>> = { MonthlySpendLimit: '1' };

function checkedKey(phoneNumber: string): string {
  if (!isE164(phoneNumber)) throw invalidParameter('PhoneNumber Reason: input incorrectly formatted');
  return phoneKey(phoneNumber);
}

/**
 * The SMS settings of an account and the phone numbers that have opted out.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-mobile-phone-number-as-subscriber.html
 */
export class Phones {
  private readonly settings = new Map(Object.entries(DEFAULTS));
  private readonly optedOut = new Set<string>();
  private readonly optedInAtMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** All phone numbers that have opted out, in the order in which they did. */
  get optedOutNumbers(): readonly string[] {
    return [...this.optedOut];
  }

  setting(name: string): string | undefined {
    return this.settings.get(name);
  }

  allSettings(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.settings);
  }

  /**
   * Sets several settings. An empty value removes a setting. @throws AwsError when a setting or value is invalid,
   * before anything is set
   */
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

  /** Opts a phone number out, as a STOP reply does. SNS sends nothing to it from now on. */
  optOut(phoneNumber: string): void {
    this.optedOut.add(checkedKey(phoneNumber));
  }

  /**
   * Opts a phone number in again, which the account may do once in 30 days.
   * @throws AwsError within 30 days of the last time. **Assumption SNS-45:** AWS does not publish this text.
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

  /** @throws AwsError when the text is not a phone number */
  isOptedOut(phoneNumber: string): boolean {
    return this.optedOut.has(checkedKey(phoneNumber));
  }

  /** Whether a subscribed phone number has opted out, in any notation. */
  refuses(endpoint: string): boolean {
    return this.optedOut.has(phoneKey(endpoint));
  }
}

const SMS_TYPE = 'AWS.SNS.SMS.SMSType';
const SENDER_ID = 'AWS.SNS.SMS.SenderID';

const DEFAULT_TYPE = 'Promotional';

/** Type, sender and length of a text message. */
export interface TextMessage {
  /** `Promotional` or `Transactional`. */
  readonly smsType: string;
  /** Shown as the sender in countries that allow it. @default - a phone number of AWS */
  readonly senderId?: string;
  readonly parts: number;
}

/** The characters of GSM 03.38. Those of its extension count as two. */
const GSM = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà^{}\\[~\]|€]*$/;
const GSM_EXTENSION = /[\^{}\\[~\]|€]/g;

/** Characters in a single SMS message, and in each part of several. */
const PART_CAPACITY = { gsm: { single: 160, each: 153 }, unicode: { single: 70, each: 67 } } as const;

/**
 * Returns the number of SMS messages for a text. @see
 * https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html
 */
function partsOf(text: string): number {
  const isGsm = GSM.test(text);
  const length = isGsm ? text.length + (text.match(GSM_EXTENSION)?.length ?? 0) : text.length;
  const { single, each } = isGsm ? PART_CAPACITY.gsm : PART_CAPACITY.unicode;
  return length <= single ? 1 : Math.ceil(length / each);
}

/** @param attributes of the message; they override the account's settings */
export function textMessageOf(body: string, attributes: MessageAttributes, phones: Phones): TextMessage {
  const smsType = attributes[SMS_TYPE]?.StringValue ?? phones.setting('DefaultSMSType') ?? DEFAULT_TYPE;
  const senderId = attributes[SENDER_ID]?.StringValue ?? phones.setting('DefaultSenderID');
  return { smsType, parts: partsOf(body), ...(senderId !== undefined && { senderId }) };
}
