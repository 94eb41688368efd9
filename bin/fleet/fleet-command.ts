import { Command } from 'commander';
import { addCommand } from './add-command';
import type { FleetContext } from './at-fleet';
import { endpointCommands } from './change-commands';
import { attemptsCommand, listCommand, showCommand } from './look-commands';
import { replayCommand } from './replay-command';
import { setCommand } from './set-command';

/** `dlo fleet`: shows the fleets of a Region, and manages their endpoints. */
export function fleetCommand(context: FleetContext): Command {
  const fleet = new Command('fleet');
  const commands = [
    listCommand(context),
    showCommand(context),
    attemptsCommand(context),
    addCommand(context),
    setCommand(context),
    ...endpointCommands(context),
    replayCommand(context),
  ];
  for (const command of commands) fleet.addCommand(command);
  return fleet;
}
