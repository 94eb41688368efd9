import type { MessageAttributes } from '../message';
import type { Phones } from './phones';

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
