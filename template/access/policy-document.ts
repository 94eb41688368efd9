export interface PolicyDocument {
  readonly Version?: string;
  readonly Id?: string;
  readonly Statement: unknown;
}
