import type { LookupAddress } from 'node:dns';
import dns from 'node:dns';
import dnsPromises from 'node:dns/promises';
import net from 'node:net';
import { promisify } from 'node:util';
import type { ThreadOutput } from '../environment/protocol';
import { notFound } from './connection';
import type { Lookup } from './virtual-socket';

type Done = (error: Error | null, ...answer: unknown[]) => void;

/** Resolves host names through the engine. */
export class NameSystem {
  private readonly questions = new Map<number, (addresses: readonly string[]) => void>();
  private count = 0;

  constructor(private readonly emit: (output: ThreadOutput) => void) {}

  get waiting(): boolean {
    return this.questions.size > 0;
  }

  /** Delivers the engine's response. */
  settle(query: number, addresses: readonly string[]): void {
    const answer = this.questions.get(query);
    this.questions.delete(query);
    answer?.(addresses);
  }

  addresses(hostName: string): Promise<readonly string[]> {
    if (net.isIP(hostName)) return Promise.resolve([hostName]);
    this.count += 1;
    const query = this.count;
    this.emit({ kind: 'lookup', query, hostName });
    return new Promise(resolve => this.questions.set(query, resolve));
  }

  readonly lookup: Lookup = (hostName, { all, family }, done) => {
    this.addresses(hostName).then(addresses => {
      const found = addresses
        .map((address): LookupAddress => ({ address, family: net.isIP(address) }))
        .filter(entry => !family || entry.family === family);
      const [first] = found;
      // Called outside of the promise, so that an error of the caller's callback is an uncaught exception, as in
      // Node.js.
      process.nextTick(() => {
        if (!first) done(notFound(hostName), '');
        else if (all) done(null, found);
        else done(null, first.address, first.family);
      });
    });
  };
}

/** The address family of each type of DNS record. */
const ADDRESS_RECORDS: Readonly<Record<string, number>> = { A: 4, AAAA: 6 };

/**
 * Resolves as DNS does. Unlike `lookup`, it distinguishes a name without such a record from a name that does not exist.
 */
async function records(names: NameSystem, hostName: string, type: unknown): Promise<string[]> {
  const all = await names.addresses(hostName);
  const found = all.filter(address => net.isIP(address) === ADDRESS_RECORDS[String(type)]);
  if (found.length > 0) return found;
  const code = all.length === 0 ? 'ENOTFOUND' : 'ENODATA';
  const syscall = `query${String(type)[0]}${String(type).slice(1).toLowerCase()}`;
  throw Object.assign(new Error(`${syscall} ${code} ${hostName}`), { code, syscall, hostname: hostName });
}

const called =
  (ask: (hostName: string, ...rest: unknown[]) => Promise<unknown>) =>
  (hostName: string, ...rest: unknown[]): void => {
    const done = rest.pop() as Done;
    ask(hostName, ...rest).then(
      answer => process.nextTick(done, null, answer),
      error => process.nextTick(done, error),
    );
  };

type LookupOptions = Parameters<Lookup>[1];

/** Installs the name resolution in `node:dns`. */
export function installDns(names: NameSystem): void {
  const lookup = (hostName: string, options: number | LookupOptions | Done, done?: Done): void => {
    const [wanted, answer] = typeof options === 'function' ? [{}, options] : [options, done as Done];
    names.lookup(hostName, typeof wanted === 'number' ? { family: wanted } : (wanted ?? {}), answer);
  };
  const promised = (hostName: string, options: number | LookupOptions = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lookup(hostName, options, (error, address, family) => {
        if (error) reject(error);
        else resolve(Array.isArray(address) ? address : { address, family });
      });
    });
  const resolve4 = (hostName: string) => records(names, hostName, 'A');
  const resolve6 = (hostName: string) => records(names, hostName, 'AAAA');
  const resolve = (hostName: string, type: unknown = 'A') => records(names, hostName, type);
  const byPromise = { resolve, resolve4, resolve6 };
  const byCallback = { resolve: called(resolve), resolve4: called(resolve4), resolve6: called(resolve6) };
  Object.assign(lookup, { [promisify.custom]: promised });
  Object.assign(dns, { lookup, ...byCallback });
  Object.assign(dnsPromises, { lookup: promised, ...byPromise });
  Object.assign(dns.Resolver.prototype, byCallback);
  Object.assign(dnsPromises.Resolver.prototype, byPromise);
}
