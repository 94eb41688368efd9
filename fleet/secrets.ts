import { createCipheriv, createDecipheriv } from 'node:crypto';
import { type EndpointName, groupOf } from '../policy/fleet/endpoint';
import {
  bucketOf,
  DATA_KEYS,
  type DataKeyItem,
  type EncryptedSecret,
  type EndpointItem,
  itemKeys,
} from '../policy/fleet/fleet-items';
import { readDataKeyItem } from '../policy/fleet/item-readers';
import { HOUR_MS } from '../policy/time-units';
import { toItem } from './attribute-values';
import type { KmsCalls } from './aws-calls';
import type { DynamoDbTable } from './dynamodb-table';
import { Placeholders } from './expression';
import { isConflict } from './fleet-error';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** How long a decrypted data key is kept. */
const KEPT_MS = HOUR_MS;

/** What the encryption of secrets needs. */
export interface SecretPorts {
  readonly table: DynamoDbTable;
  readonly kms: KmsCalls;
  readonly fleetName: string;
  /** The KMS key of the fleet. */
  readonly keyArn: string;
  readonly nowMs: () => number;
  /** Random bytes, from a generator for cryptography. */
  readonly freshBytes: (count: number) => Uint8Array;
}

/** The secrets of an endpoint, or why they cannot be read, without any part of them. */
export type SecretsReading =
  | {
      readonly kind: 'secrets';
      /** The signing secrets, the current one first. */
      readonly secrets: readonly string[];
      /** The secret of its OAuth client. @default - it has none */
      readonly clientSecret?: string;
    }
  | { readonly kind: 'unreadable'; readonly reason: string };

interface KeptKey {
  readonly key: Promise<Uint8Array>;
  readonly untilMs: number;
}

/**
 * Encrypts the secrets of endpoints under data keys, and those by the KMS key of the fleet. A secret is bound to its endpoint, and that of
 * an OAuth client to its token URL too: who may only write to the table cannot have it sent elsewhere.
 */
export class Secrets {
  private readonly kept = new Map<number, KeptKey>();

  constructor(private readonly ports: SecretPorts) {}

  /**
   * Needs `kms:GenerateDataKey` and `kms:Decrypt`.
   * @param tokenUrl of the OAuth client, if it is its secret
   */
  async encrypt(name: EndpointName, secret: string, tokenUrl?: string): Promise<EncryptedSecret> {
    const dataKey = bucketOf(name, DATA_KEYS);
    const nonce = this.ports.freshBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, await this.dataKey(dataKey, true), nonce).setAAD(
      this.boundTo(name, tokenUrl),
    );
    const encrypted = [nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()];
    return { dataKey, ciphertext: Buffer.concat(encrypted).toString('base64') };
  }

  /**
   * Needs `kms:Decrypt`.
   * @throws Error if the secret is not that of this endpoint, or was changed
   */
  async decrypt(name: EndpointName, { dataKey, ciphertext }: EncryptedSecret, tokenUrl?: string): Promise<string> {
    const key = await this.dataKey(dataKey);
    const bytes = Buffer.from(ciphertext, 'base64');
    const end = bytes.length - TAG_BYTES;
    try {
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(this.boundTo(name, tokenUrl)).setAuthTag(bytes.subarray(end));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]).toString();
    } catch (error) {
      throw new Error(`the secret of ${groupOf(name)} cannot be decrypted: it was changed`, { cause: error });
    }
  }

  /** Decrypts the secrets that sign now, the current one and those before while they may, and that of the client. Never rejects. */
  async read(endpoint: EndpointItem): Promise<SecretsReading> {
    const nowMs = this.ports.nowMs();
    const valid = endpoint.secrets.filter(({ untilMs = Number.POSITIVE_INFINITY }) => untilMs > nowMs);
    try {
      const secrets = await Promise.all(valid.map(secret => this.decrypt(endpoint, secret)));
      const { authorization: client } = endpoint;
      if (!client) return { kind: 'secrets', secrets };
      return {
        kind: 'secrets',
        secrets,
        clientSecret: await this.decrypt(endpoint, client.clientSecret, client.tokenUrl),
      };
    } catch (error) {
      return { kind: 'unreadable', reason: String(error) };
    }
  }

  private boundTo(name: EndpointName, tokenUrl?: string): Buffer {
    const [fleet, group] = [this.ports.fleetName, groupOf(name)];
    return Buffer.from([fleet, group, ...(tokenUrl === undefined ? [] : [tokenUrl])].join('\n'));
  }

  /** Requests at the same time share one call. A failed call is not kept. */
  private dataKey(bucket: number, mayCreate = false): Promise<Uint8Array> {
    const nowMs = this.ports.nowMs();
    const kept = this.kept.get(bucket);
    if (kept && nowMs < kept.untilMs) return kept.key;
    const key = this.readDataKey(bucket, mayCreate).catch(error => {
      this.kept.delete(bucket);
      throw error;
    });
    this.kept.set(bucket, { key, untilMs: nowMs + KEPT_MS });
    return key;
  }

  private async readDataKey(bucket: number, mayCreate: boolean): Promise<Uint8Array> {
    const { table, kms, keyArn: KeyId } = this.ports;
    const EncryptionContext = this.contextOf(bucket);
    const known = await table.get(itemKeys.dataKey(bucket), readDataKeyItem);
    // Another key would decrypt nothing.
    if (!known && !mayCreate)
      throw new Error(`the table has no data key ${bucket}: restore its item (pk K, sk ${bucket})`);
    const item = known ?? (await this.createDataKey(bucket));
    if ('plaintext' in item) return item.plaintext;
    const { Plaintext } = await kms.decrypt({ KeyId, CiphertextBlob: item.ciphertext, EncryptionContext });
    return demanded(Plaintext);
  }

  /** If another writer creates the data key first, that one counts. */
  private async createDataKey(bucket: number): Promise<DataKeyItem | { readonly plaintext: Uint8Array }> {
    const { table, kms, keyArn: KeyId } = this.ports;
    const EncryptionContext = this.contextOf(bucket);
    const created = await kms.generateDataKey({ KeyId, KeySpec: 'AES_256', EncryptionContext });
    const item: DataKeyItem = { ...itemKeys.dataKey(bucket), ciphertext: demanded(created.CiphertextBlob) };
    const placeholders = new Placeholders();
    const ConditionExpression = placeholders.is('pk', undefined);
    try {
      await table.put({ Item: toItem(item), ConditionExpression, ...placeholders.members });
      return { plaintext: demanded(created.Plaintext) };
    } catch (error) {
      const other = isConflict(error) ? await table.get(item, readDataKeyItem) : undefined;
      if (!other) throw error;
      return other;
    }
  }

  private contextOf(bucket: number): Record<string, string> {
    return { fleet: this.ports.fleetName, bucket: String(bucket) };
  }
}

function demanded(bytes: Uint8Array | undefined): Uint8Array {
  if (!bytes) throw new Error('KMS returned no key');
  return bytes;
}
