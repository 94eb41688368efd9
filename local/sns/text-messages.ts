import { isE164, phoneKey } from '../../policy/text-formats';
import { AwsError } from '../kernel/aws-error';
import type { Clock } from '../kernel/clock';
import { invalidParameter } from './errors';
import type { MessageAttributes } from './message';

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

const SMS_TYPE = 'AWS.SNS.SMS.SMSType';
const SENDER_ID = 'AWS.SNS.SMS.SenderID';

const DEFAULT_TYPE = 'Promotional';

/** What a text message is besides its text. */
export interface TextMessage {
  /** `Promotional` or `Transactional`. */
  readonly smsType: string;
  /** Shown as the sender, where the country allows it. @default - a number of AWS's */
  readonly senderId?: string;
  /** How many messages the phone gets for it. */
  readonly parts: number;
}

/** The characters of GSM 03.38; those of the extension take two places. */
const GSM = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà^{}\\[~\]|€]*$/;
const GSM_EXTENSION = /[\^{}\\[~\]|€]/g;

/** How many characters fit into one message, and into each of several. */
const PART_CAPACITY = { gsm: { single: 160, each: 153 }, unicode: { single: 70, each: 67 } } as const;

/** How many messages a phone gets for a text. @see https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html */
function partsOf(text: string): number {
  const isGsm = GSM.test(text);
  const length = isGsm ? text.length + (text.match(GSM_EXTENSION)?.length ?? 0) : text.length;
  const { single, each } = isGsm ? PART_CAPACITY.gsm : PART_CAPACITY.unicode;
  return length <= single ? 1 : Math.ceil(length / each);
}

/** @param attributes of the message, which say otherwise than the account's settings where they do */
export function textMessageOf(body: string, attributes: MessageAttributes, phones: Phones): TextMessage {
  const smsType = attributes[SMS_TYPE]?.StringValue ?? phones.setting('DefaultSMSType') ?? DEFAULT_TYPE;
  const senderId = attributes[SENDER_ID]?.StringValue ?? phones.setting('DefaultSenderID');
  return { smsType, parts: partsOf(body), ...(senderId !== undefined && { senderId }) };
}
