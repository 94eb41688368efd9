/** What of the package is used here; it comes without types of its own. */
declare module 'sns-validator' {
  export default class MessageValidator {
    validate(
      message: Record<string, unknown>,
      callback: (error: Error | null, message?: Record<string, unknown>) => void,
    ): void;
  }
}
