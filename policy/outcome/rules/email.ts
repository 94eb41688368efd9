import { dead, type ProtocolRules, retry, UNANSWERED } from './ruling';

/**
 * E-mail, by the reply code of the mail server. AWS names the schedule and not the errors: that 4yz is tried again and 5yz
 * is final is SMTP's own meaning of the two, and our choice.
 * @see https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1
 */
export const EMAIL_RULES: ProtocolRules = {
  errors: [],
  statuses: [
    { from: 200, to: 299, ruling: { kind: 'delivered', reason: 'the mail server took it' } },
    { from: 400, to: 499, ruling: retry('the mail server cannot take it now') },
    { from: 500, to: 599, ruling: dead('the mail server refuses it for good') },
  ],
  otherwise: dead('the mail server gave no final answer'),
  unanswered: UNANSWERED,
};
