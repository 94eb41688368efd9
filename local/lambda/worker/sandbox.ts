import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import v8 from 'node:v8';
import { Random } from '../../kernel/random';
import type { ThreadSettings } from '../environment/protocol';

const MIB = 1024 * 1024;

/**
 * The memory in MB that comes with each whole processor.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
const MB_OF_A_PROCESSOR = 1769;
/** Every function sees at least two processors, even with a small share of their time. */
const FEWEST_PROCESSORS = 2;

/** The address and host name of the sandbox. As on Lambda, the network begins with 169.254. */
export const SANDBOX_ADDRESS = '169.254.100.6';

/** Invented memory usage. The real numbers would differ in every run. */
const MEMORY_USAGE = {
  rss: 64 * MIB,
  heapTotal: 16 * MIB,
  heapUsed: 8 * MIB,
  external: 2 * MIB,
  arrayBuffers: MIB / 16,
};

/**
 * Makes `os`, and the memory and processor usage of `process`, those of a Lambda sandbox, the same on every machine.
 */
export function installMachine(memorySizeMb: number): void {
  const memoryBytes = memorySizeMb * MIB;
  const processors = Math.max(FEWEST_PROCESSORS, Math.ceil(memorySizeMb / MB_OF_A_PROCESSOR));
  const cpu = () => ({
    model: 'Intel(R) Xeon(R) Processor @ 2.50GHz',
    speed: 2500,
    times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 },
  });
  const free = (): number => memoryBytes - MEMORY_USAGE.rss;
  Object.assign(os, {
    availableParallelism: () => processors,
    cpus: () => Array.from({ length: processors }, cpu),
    freemem: free,
    getPriority: () => 0,
    homedir: () => '/home/sbx_user1051',
    hostname: () => SANDBOX_ADDRESS,
    loadavg: () => [0, 0, 0],
    networkInterfaces: () => ({}),
    release: () => '5.10.0',
    totalmem: () => memoryBytes,
    type: () => 'Linux',
    uptime: () => process.uptime(),
    userInfo: () => ({
      username: 'sbx_user1051',
      uid: 993,
      gid: 990,
      shell: '/sbin/nologin',
      homedir: '/home/sbx_user1051',
    }),
    version: () => '#1 SMP',
  });
  Object.assign(process, {
    availableMemory: free,
    constrainedMemory: () => memoryBytes,
    cpuUsage: () => ({ user: 0, system: 0 }),
    memoryUsage: Object.assign(() => ({ ...MEMORY_USAGE }), { rss: () => MEMORY_USAGE.rss }),
    resourceUsage: () => ({ ...RESOURCES }),
  });
  const { getHeapStatistics } = v8;
  Object.assign(v8, { getHeapStatistics: () => heapStatistics(getHeapStatistics(), memoryBytes) });
  syncBuiltinESMExports();
}

/** The `getrusage` of a process that has used nothing, because code takes no virtual time. */
const RESOURCES = {
  ...{ userCPUTime: 0, systemCPUTime: 0, maxRSS: MEMORY_USAGE.rss / 1024, sharedMemorySize: 0, unsharedDataSize: 0 },
  ...{ unsharedStackSize: 0, minorPageFault: 0, majorPageFault: 0, swappedOut: 0, fsRead: 0, fsWrite: 0, ipcSent: 0 },
  ...{ ipcReceived: 0, signalsCount: 0, voluntaryContextSwitches: 0, involuntaryContextSwitches: 0 },
};

/** Returns V8's statistics. The members that depend on this machine are replaced by those of the sandbox. */
function heapStatistics(real: v8.HeapInfo, memoryBytes: number): v8.HeapInfo {
  const none = Object.fromEntries(Object.keys(real).map(name => [name, 0]));
  return {
    ...real,
    ...none,
    total_heap_size: MEMORY_USAGE.heapTotal,
    total_physical_size: MEMORY_USAGE.heapTotal,
    used_heap_size: MEMORY_USAGE.heapUsed,
    total_available_size: memoryBytes - MEMORY_USAGE.heapTotal,
    heap_size_limit: memoryBytes,
    external_memory: MEMORY_USAGE.external,
  };
}

/** The process id of the runtime in a Lambda sandbox. The real one would differ in every run. */
const PROCESS_ID = 2;

const NODE = '/var/lang/bin/node';

/**
 * The release that each runtime reports, whatever version of Node.js runs. AWS updates its runtimes without notice, so
 * these are fixed to one release each.
 */
const RELEASES: Readonly<Record<string, string>> = { 18: '18.20.8', 20: '20.19.5', 22: '22.20.0', 24: '24.11.0' };

function releaseOf(runtime = ''): string {
  const major = /nodejs(\d+)/.exec(runtime)?.[1] ?? '22';
  return RELEASES[major] ?? `${major}.0.0`;
}

/** Makes `process` that of a Lambda sandbox. `process.exit` and similar functions end only this worker. */
export function installProcess({ folder, variables }: ThreadSettings): void {
  process.env = { ...variables };
  if (variables['NODE_OPTIONS']?.includes('--enable-source-maps')) process.setSourceMapsEnabled(true);
  process.argv = [NODE, '/var/runtime/index.mjs'];
  const release = releaseOf(variables['AWS_EXECUTION_ENV']);
  Object.defineProperties(process, {
    pid: { value: PROCESS_ID },
    // A getter, because Node.js 20 returns the real process id for a plain value.
    ppid: { get: () => 1 },
    title: { get: () => 'node', set: () => {} },
    execPath: { value: NODE },
    version: { value: `v${release}` },
    versions: { value: Object.freeze({ ...process.versions, node: release }) },
    release: { value: { name: 'node' } },
    // Some builds of Node.js have no `process.report`, so code cannot rely on it. A report would contain the wall-clock time
    // and details of this machine.
    report: { value: undefined },
    cwd: { value: () => folder },
    chdir: { value: () => {} },
    abort: { value: () => process.exit(134) },
    kill: {
      value: (pid: number, signal?: string | number) => {
        if (pid !== PROCESS_ID) throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH', syscall: 'kill' });
        return signal === 0 ? true : process.exit(137);
      },
    },
  });
}

/** The position in V8's error. From V8 11.4 on (Node.js 22), a line and a column follow it. */
const ENDS_AT_POSITION = / at position (\d+)$/;

/**
 * Makes the errors of `JSON.parse` read as in nodejs22.x, whatever version of Node.js runs, because they appear in
 * logs, traces and dead-letter messages.
 */
export function installJson(): void {
  const { parse: parseHere } = JSON;
  // A method, so that it has the name and the two parameters of the original.
  const { parse }: Pick<typeof JSON, 'parse'> = {
    parse(text, reviver) {
      try {
        return parseHere(text, reviver);
      } catch (error) {
        throw error instanceof SyntaxError ? worded(error, String(text), parse) : error;
      }
    },
  };
  JSON.parse = parse;
}

/** @param asked the function whose frame, and everything above it, is replaced in the stack by V8's own frame */
function worded(error: SyntaxError, text: string, asked: (text: string) => unknown): SyntaxError {
  const position = ENDS_AT_POSITION.exec(error.message)?.[1];
  if (position !== undefined) error.message += ` (${lineAndColumn(text, Number(position))})`;
  Error.captureStackTrace(error, asked);
  const head = `${error.name}: ${error.message}\n`;
  if (error.stack?.startsWith(head))
    error.stack = `${head}    at JSON.parse (<anonymous>)\n${error.stack.slice(head.length)}`;
  return error;
}

function lineAndColumn(text: string, position: number): string {
  const lines = text.slice(0, position).split(/\r\n|\r|\n/);
  return `line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

type Bytes = Uint8Array | DataView | ArrayBuffer;
type Done<T> = (error: Error | null, value: T) => void;

/**
 * Makes `Math.random`, and the random bytes, numbers and UUIDs of `node:crypto` and Web Crypto, deterministic.
 * Generated keys (`generateKeyPair`) and salts in native code remain random.
 */
export function installRandomness(seed: string): void {
  const random = new Random(seed);
  const fill = <T extends ArrayBufferView | ArrayBuffer>(target: T, offset = 0, size?: number): T => {
    const bytes = view(target).subarray(offset, size === undefined ? undefined : offset + size);
    for (let i = 0; i < bytes.length; i += 1) bytes[i] = random.integer(0, 255);
    return target;
  };
  const uuid = (): string => random.uuid();

  Math.random = () => random.fraction();
  Object.assign(crypto, {
    randomUUID: uuid,
    randomFillSync: fill,
    randomBytes: later((size: number) => fill(Buffer.alloc(size))),
    pseudoRandomBytes: later((size: number) => fill(Buffer.alloc(size))),
    randomInt: later((from: number, to?: number) =>
      to === undefined ? random.integer(0, from - 1) : random.integer(from, to - 1),
    ),
    randomFill: later(fill),
  });
  Object.defineProperties(crypto.webcrypto, {
    randomUUID: { value: uuid },
    getRandomValues: { value: (target: ArrayBufferView) => fill(target) },
  });
  syncBuiltinESMExports();
}

/** Adds Node.js's calling convention: if the last argument is a function, it receives the result. */
function later<Given extends unknown[], T>(draw: (...given: Given) => T) {
  return (...given: [...Given, Done<T>?]): T | undefined => {
    const last = given.at(-1);
    // Without a callback, `given` is of type `Given`, which TypeScript cannot infer from the last element.
    if (typeof last !== 'function') return draw(...(given as unknown as Given));
    const value = draw(...(given.slice(0, -1) as Given));
    process.nextTick(last as Done<T>, null, value);
    return undefined;
  };
}

function view(target: Bytes | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(target)
    ? new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
    : new Uint8Array(target);
}
