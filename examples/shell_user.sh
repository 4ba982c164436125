#!/bin/sh
# A shell user's job: a network as a file, looked at, searched, proved, converted; tables in and out through pipes.
set -eu
steppe generate road 20000 -o city.gr.gz --seed 1
steppe info city.gr.gz
steppe sssp city.gr.gz --source 0 --verify
steppe sssp city.gr.gz --source 0 -o - 2>/dev/null | sort -t, -k2,2 -n | tail -3 # the three furthest vertices
printf '0,19999\n7,19000\n' >pairs.csv
steppe distances city.gr.gz --pairs pairs.csv
steppe nearest city.gr.gz --sources 0,10000,19999 -o nearest.csv
tail -n +2 nearest.csv | cut -d, -f2 | sort | uniq -c # how many each of the three serves
steppe convert city.gr.gz city.steppe && steppe route city.steppe --source 0 --target 19999 --json | head -c 200
