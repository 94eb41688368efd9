import { allowsMissingContext, environmentsOf, readAssemblies } from '../cloudformation';
import type { Run } from './listen';
import {
  type AssemblySource,
  checkDeployOptions,
  checkStartOptions,
  directoriesOf,
  type LocalAwsOptions,
  newSimulation,
  placeFrom,
} from './options';

/** How a run begins: with an empty account. @throws RangeError, InvalidInput for wrong options */
export function withEmptyAccount(options: LocalAwsOptions): () => Run {
  checkStartOptions(options);
  return () => newSimulation({ place: placeFrom(options.place) }, options);
}

/**
 * How a run begins: with deployed stacks.
 *
 * @param scenario what every run plays first, also when it begins again
 * @throws AssemblyError when the assembly cannot be read
 */
export function withDeployedStacks(
  assembly: AssemblySource,
  options: LocalAwsOptions,
  scenario?: (run: Run) => Promise<void>,
): () => Promise<Run> {
  checkDeployOptions(options);
  const place = placeFrom(options.place);
  const read = readAssemblies(directoriesOf(assembly), allowsMissingContext(options.standIns ?? 'refuse'));
  return async () => {
    const { simulation, random } = newSimulation(environmentsOf(read.stacks, options.place ?? {}, place), options);
    try {
      const run: Run = { simulation, random };
      await simulation.timeline.runUntilSettled(simulation.deploy(read, options));
      if (scenario) await simulation.timeline.runUntilSettled(scenario(run));
      return run;
    } catch (error) {
      // The caller gets no object to close; functions with inline code have created temporary folders.
      await simulation.close();
      throw error;
    }
  };
}
