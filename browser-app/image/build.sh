#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The image's first stage: builds the IDE in Debian with Node.js, and lays out what the second stage takes over.
# Usage, at the top of the repository: sh browser-app/image/build.sh OUTPUT_FOLDER
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install --yes --no-install-recommends ca-certificates g++ make python3
npm run build
node browser-app/image/collect.mjs "$1"
