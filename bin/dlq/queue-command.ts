import { Command } from 'commander';
import { addConnectionOptions, EXIT_CODES } from '../shared/command-line';
import { type CommandPermissions, permissionsText } from '../shared/command-permissions';

/** A command of `dlo dlq`. Its help ends with the permissions that it needs and its exit codes. */
export function messagesCommand(permissions: CommandPermissions, description: string, help: string): Command {
  return addConnectionOptions(new Command(permissions.command.replace(/^dlq /, '')))
    .description(description)
    .addHelpText('after', `${help}\n\n${permissionsText(permissions)}\n\n${EXIT_CODES}`);
}

/** A command for one queue. */
export function queueCommand(permissions: CommandPermissions, description: string, help: string): Command {
  return messagesCommand(permissions, description, help).argument('QUEUE', 'its name, ARN or URL');
}
