import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import v8 from 'node:v8';

const MIB = 1024 * 1024;

/**
 * Megabytes that come with one whole processor.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
const MB_OF_A_PROCESSOR = 1769;
/** Every function sees two processors at least, however little of their time is its own. */
const FEWEST_PROCESSORS = 2;

/** The address and host name of the sandbox; its network begins with 169.254 as on Lambda. */
export const SANDBOX_ADDRESS = '169.254.100.6';

/** What code reads of the memory it uses is made up: it would be another number in every run. */
const USED = { rss: 64 * MIB, heapTotal: 16 * MIB, heapUsed: 8 * MIB, external: 2 * MIB, arrayBuffers: MIB / 16 };

/** Makes `os`, and what `process` tells of memory and processor time, those of a sandbox, the same on every machine. */
export function installMachine(memorySizeMb: number): void {
  const memoryBytes = memorySizeMb * MIB;
  const processors = Math.max(FEWEST_PROCESSORS, Math.ceil(memorySizeMb / MB_OF_A_PROCESSOR));
  const cpu = () => ({
    model: 'Intel(R) Xeon(R) Processor @ 2.50GHz',
    speed: 2500,
    times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 },
  });
  const free = (): number => memoryBytes - USED.rss;
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
    memoryUsage: Object.assign(() => ({ ...USED }), { rss: () => USED.rss }),
    resourceUsage: () => ({ ...RESOURCES }),
  });
  const { getHeapStatistics } = v8;
  Object.assign(v8, { getHeapStatistics: () => heapStatistics(getHeapStatistics(), memoryBytes) });
  syncBuiltinESMExports();
}

/** `getrusage` of a process that has used nothing yet: code takes no time here. */
const RESOURCES = {
  ...{ userCPUTime: 0, systemCPUTime: 0, maxRSS: USED.rss / 1024, sharedMemorySize: 0, unsharedDataSize: 0 },
  ...{ unsharedStackSize: 0, minorPageFault: 0, majorPageFault: 0, swappedOut: 0, fsRead: 0, fsWrite: 0, ipcSent: 0 },
  ...{ ipcReceived: 0, signalsCount: 0, voluntaryContextSwitches: 0, involuntaryContextSwitches: 0 },
};

/** V8's own statistics, with the members this machine would decide made those of the sandbox. */
function heapStatistics(real: v8.HeapInfo, memoryBytes: number): v8.HeapInfo {
  const none = Object.fromEntries(Object.keys(real).map(name => [name, 0]));
  return {
    ...real,
    ...none,
    total_heap_size: USED.heapTotal,
    total_physical_size: USED.heapTotal,
    used_heap_size: USED.heapUsed,
    total_available_size: memoryBytes - USED.heapTotal,
    heap_size_limit: memoryBytes,
    external_memory: USED.external,
  };
}
