#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the image runs; its arguments are the folder to open and further ones of Theia's. PORT is where the page is served, 3000 by default.
set -eu
# Kubernetes lets the group of a volume write to all that is on it (fsGroup), and the companion publishes nothing where others may write.
for folder in "$HOME/.qwen" "$HOME/.qwen/ide"; do
    if [ -O "$folder" ]; then
        chmod go-w "$folder"
    fi
done
cd /opt/ide
exec bin/node lib/backend/main.js --hostname 0.0.0.0 --port "${PORT:-3000}" "$@"
