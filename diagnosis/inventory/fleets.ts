import type { FleetFacts, Inventory } from './inventory';

/** The fleet whose dead-letter queue this is, as far as the settings of its functions could be read. */
export function fleetOfDeadLetters(queueArn: string, { functions }: Pick<Inventory, 'functions'>) {
  return functions.map(({ fleet }) => fleet).find(it => it?.deadLetterQueueArn === queueArn);
}

/** The option of `dlo fleet` that names a fleet, where there are several. */
export function fleetOption({ name }: FleetFacts, { functions }: Pick<Inventory, 'functions'>): readonly string[] {
  const queues = new Set(functions.flatMap(({ fleet }) => fleet?.deadLetterQueueArn ?? []));
  return queues.size > 1 ? ['--fleet', name] : [];
}
