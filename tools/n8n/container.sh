#!/usr/bin/env bash
# Starts n8n from a container image, on Linux, for MESSAGING_SEND_N8N:
#   MESSAGING_SEND_N8N="$PWD/tools/n8n/container.sh n8nio/n8n:2.48.5" npm run test:e2e
# The container has the network and the temporary folder of this machine, where n8n's home is, and the settings given.
set -euo pipefail

image=$1
shift
name="messaging-send-$$"
temporary=${TMPDIR:-/tmp}

settings=()
for variable in $(compgen -e); do
  case $variable in
    PATH | PWD | OLDPWD | SHLVL | TMPDIR | _) ;;
    *) settings+=(--env "$variable") ;;
  esac
done

# A killed "docker run" leaves its container running. This ends it, from a process group of its own.
setsid bash -c 'tail --pid="$1" --sleep-interval=0.1 --follow /dev/null; docker kill "$2"' watcher $$ "$name" \
  </dev/null >/dev/null 2>&1 &

exec docker run --rm --name "$name" --network host --user "$(id -u):$(id -g)" \
  --volume "$temporary:$temporary" --workdir "$N8N_USER_FOLDER" "${settings[@]}" "$image" "$@"
