export type { Cause, FilterReason, SnsTraceEvent } from './happenings';
export type {
  FunctionInvoker,
  InvocationAnswer,
  QueueSender,
  SnsDependencies,
} from './ports';
export { snsResourceTypes } from './resources';
export { signingCertificate, signingCertUrl } from './signing/certificate';
export { withSigningCertificate } from './signing/certificate-host';
export type { Phones } from './sms/phones';
export type { TextMessage } from './sms/text-message';
export { type PendingConfirmation, Sns, type SnsOptions } from './sns';
export type { SnsActionName, SnsActions } from './sns-actions';
export type { Receipt, RecipientBehaviour, Recipients, RecordedProtocol } from './transports/recipients';
