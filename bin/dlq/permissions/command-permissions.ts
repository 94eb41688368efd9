/** What a command takes, as IAM names actions. */
export interface CommandPermissions {
  /** As its user types it after `dlo`: `dlq ls`. */
  readonly command: string;
  /** To find out, or to plan. */
  readonly reads: readonly string[];
  /** Beside those, with `--execute`. @default - it changes nothing */
  readonly executes?: readonly string[];
  /** Where a queue is encrypted with a key of KMS. @default - it reads no message */
  readonly keys?: readonly string[];
}
