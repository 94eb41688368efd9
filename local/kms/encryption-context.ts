import { accountOf, type Caller } from '../kernel/caller';

export type EncryptionContext = Readonly<Record<string, string>>;

/** What is encrypted along with the data, whatever order the pairs come in. */
export function canonical(context: EncryptionContext | undefined): Buffer {
  const pairs = Object.entries(context ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify(pairs));
}

/** The caller with what a key's policy may ask of a request that comes directly. */
export function withRequest(caller: Caller, input: object): Caller {
  const { EncryptionContext: given }: { readonly EncryptionContext?: EncryptionContext } = input;
  const account = accountOf(caller);
  const named = Object.entries(given ?? {}).map(([name, value]) => [`kms:EncryptionContext:${name}`, value] as const);
  return {
    ...caller,
    context: {
      ...caller.context,
      ...(account !== undefined && { 'kms:CallerAccount': account }),
      ...Object.fromEntries(named),
    },
  };
}
